"""Agreement between two evaluations of the same runs.

agree                 agree() and its command
run_overlap           rank-biased overlap of runs
evaluations           evaluations of runs, which are read or computed, and pairs of evaluations
paired_evaluations    the same runs under two sets of judgments: values, statistics, intervals
"""
