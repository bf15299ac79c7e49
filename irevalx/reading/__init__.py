"""Files to judgments and runs: ``source`` opens and decompresses, ``tokens`` cuts lines, ``formats`` knows formats."""
