"""The interface for Python programs: ``evaluate``, ``Qrels``, ``Run``, ``Scores``, and pytrec_eval's names.

Public is what ``irevalx/__init__.py`` names; import it from there.
"""
