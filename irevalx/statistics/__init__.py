"""Statistics of arrays: tests, corrections, intervals, correlations, estimates; nothing of retrieval, and no click."""
