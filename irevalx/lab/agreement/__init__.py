"""Agreement between two evaluations of the same runs.

agree          agree() and its command
run_overlap    rank-biased overlap of runs
evaluations    evaluations of the same runs, read or computed, paired
"""
