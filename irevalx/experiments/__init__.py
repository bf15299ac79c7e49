"""Modules that the experiments of irevalx-lab share. The modules do not import click.

seeds_and_shares     seeds and proportions
inputs               judgments, runs and labels from user input; judgments with the text of their file
prepared_runs        judgments, runs and measures that are read, then ranked: PreparedRuns, PreparedGradedRuns
ranked_runs          runs ranked once: RankedRuns, GradedRuns; topics compared; scales
measured_runs        measure values of runs by topic, computed or read from a score file
labels               label files: a second set of judgments for the same documents
samples, strata      samples of judgments; stratified samples, and measure values under them
pools, coverage      the top documents of runs; the proportion of judged documents
topic_clusters       clusters of dependent topics, given or suggested by topic IDs
run_pairs            rows that compare two runs, reversed
run_selection        selection of runs that retrieve enough documents, or are fully judged at the top ranks
run_groups           groups of runs; evaluation without the unique documents of a group
weighted_measures    measures that are sums of weight times gain
"""
