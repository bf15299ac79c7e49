"""Arrays in, numbers out: tests, corrections, intervals, correlations, estimates; no click, no word of retrieval."""
