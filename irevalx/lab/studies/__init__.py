"""Measures under reduced judgments.

study           study() and its command
draw            draw() and its command; studies read back
simulation      schemes, levels, samples; statistics of each; topic bootstrap
results         StudyResult; results of judging strategies
summaries       means over samples, knees, tables
warnings        warnings about a study
infap_errors    the two sources of error of infAP
figures         agreement, grids, scatter
"""
