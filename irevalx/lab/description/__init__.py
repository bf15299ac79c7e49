"""Statistics of judgments and runs.

describe    describe() and its command
results     statistics of judgments and runs
figures     the figure
"""
