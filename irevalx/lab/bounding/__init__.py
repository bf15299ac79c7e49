"""Whether documents that nobody judged could reverse a comparison: the command bounds."""
