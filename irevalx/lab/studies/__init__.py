"""Studies of measures under reduced judgments.

study           study() and its command
draw            draw() and its command
schemes         schemes that reduce judgments, with their levels and samples
simulation      statistics of each sample, and the topic bootstrap
results         the result of a study, and results of judging strategies
summaries       means over samples, knees and tables; the file study.json
warnings        warnings about a study
figures         agreement, grids, scatter
"""
