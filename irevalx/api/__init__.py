"""The interface for Python programs: ``evaluate``, ``Qrels``, ``Run``, ``Scores``, and pytrec_eval's names.

Public is what ``irevalx/__init__.py`` names; import it from there. ``inputs`` takes judgments, pools and runs in any
form; ``dictionaries`` and ``frames`` turn what is in memory into columns, from which ``reading`` builds what is
evaluated, and ``checks`` refuses wrong arguments. ``own_measures`` declares measures of users. ``interface`` evaluates
and ``scores`` is what comes back.
"""
