"""Significance of differences between runs.

compare               compare() and its command
gate                  gate() and its command
topics                compare_topics()
discriminative_power  discriminative_power()
tested_runs           the comparisons from which each function derives its result
topic_groups          comparisons within topic groups
interactions          interaction of differences with topic groups
replicates            systems with several runs
several_collections   comparisons over several collections
gated_collections     verdicts over several collections
verdicts              verdicts on runs
junit                 verdicts as JUnit XML
margins               the parameter margin
non_inferiority       noninferiority tests and intervals
results               the result of compare
comparison_options    parameters that these functions and report share
pairs                 rows on pairs of runs under measures
pair_columns          default columns of tables of pairs, their heads, and notes on them
conclusions           the best run, and the runs that differ from it or from the baseline
run_tables            tables with a row for each run, and their marks
summary               the paragraph for a paper
warnings              warnings about tests and intervals
cautions              cautions about unjudged documents
figures               intervals, matrices, topics, levels
"""
