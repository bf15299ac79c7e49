"""Measures under reduced judgments.

study           study() and its command
draw            draw() and its command; reads studies from folders
schemes         schemes that reduce judgments; levels, samples
simulation      statistics of each sample; topic bootstrap
results         StudyResult; results of judging strategies
summaries       means over samples, knees, tables
warnings        warnings about a study
infap_errors    the two sources of error of infAP
figures         agreement, grids, scatter
"""
