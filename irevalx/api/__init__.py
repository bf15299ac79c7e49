"""The Python interface. ``irevalx/__init__.py`` exports its public names; import them from there.

evaluate            evaluate()
scores              Scores, its result
inputs              Qrels, Run, Pool, and the other inputs that stand for them
custom_measures     @irevalx.measure
pytrec_eval         RelevanceEvaluator and the other names of pytrec_eval
"""
