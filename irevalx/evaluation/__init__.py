"""One run against the judgments (``evaluate``), many runs (``many_runs``), and traces of what the measures see."""
