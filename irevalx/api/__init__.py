"""The Python interface, whose public names are exported by ``irevalx/__init__.py``.

evaluate evaluate() scores Scores, the result of evaluate() inputs Qrels, Run, Pool, and the conversion of other inputs
custom_measures @irevalx.measure pytrec_eval RelevanceEvaluator and the other names that pytrec_eval exports
"""
