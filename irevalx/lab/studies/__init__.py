"""All measures under many reduced judgments, with tables and figures: the commands study and draw."""
