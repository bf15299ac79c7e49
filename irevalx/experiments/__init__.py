"""What the topics of irevalx-lab share; no click.

parameters           seeds and proportions
inputs               judgments, runs and labels from user input; judgments with the text of their file
ranked_runs          runs ranked once: RankedRuns, GradedRuns; topics compared; scales
measured_runs        measure values of runs by topic, computed now or before
labels               label files: a second set of judgments for the same documents
samples, strata      which judged documents are kept; stratified samples, and values under them
pools, coverage      the top documents of runs; the proportion of them that is judged
run_groups           groups of runs; evaluation without their unique documents
weighted_measures    measures that are sums of weight times gain
"""
