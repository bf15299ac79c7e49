"""The Python interface, whose public names are exported by ``irevalx/__init__.py``.

evaluate           evaluate()
scores             Scores, the result of evaluate()
inputs             Qrels, Run, Pool, and the conversion of other inputs
score_files        measure values that other programs wrote: readers of files
score_columns      recognition of the columns of score files
score_evaluations  conversion of the values of score files to evaluations of runs
custom_measures    @irevalx.measure
pytrec_eval        RelevanceEvaluator and the other names that pytrec_eval exports
"""
