"""Studies of measures under reduced judgments.

study           study() and its command
draw            draw() and its command
schemes         schemes that reduce judgments; levels, samples
simulation      statistics of each sample; topic bootstrap
results         StudyResult; results of judging strategies
summaries       means over samples, knees, tables; writes and reads study.json
warnings        warnings about a study
figures         agreement, grids, scatter
"""
