"""The interface for Python programs: ``evaluate``, ``Qrels``, ``Run``, ``Scores``, and pytrec_eval's names.

Import public names from ``irevalx``. ``inputs`` accepts judgments, pools and runs in any form; ``dictionaries`` and
``frames`` convert Python objects to columns, from which ``reading`` builds judgments and results. ``own_measures``
declares custom measures. ``interface`` evaluates and ``scores`` contains the result.
"""
