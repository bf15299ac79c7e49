"""Statistics of judgments and runs.

describe    describe() and its command
figures     the figure
"""
