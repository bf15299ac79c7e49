"""Statistics of judgments and runs.

describe    statistics of judgments and runs; describe() and its command
figures     the figure
"""
