"""Statistics of judgments and runs: describe."""
