"""Significance of differences between runs.

compare         compare() and its command
parameters      parameters that compare and report share
results         the result: compared runs, discriminative power
pairs           pairs of runs under measures: rows
run_tables      tables with a row for each run, and their marks
summary         the paragraph for a paper
topic_groups    comparisons within topic groups, and their interaction
replicates      systems with several runs
gate            regression gate, JUnit
cautions        cautions about unjudged documents
figures         intervals, matrices, topics, levels
"""
