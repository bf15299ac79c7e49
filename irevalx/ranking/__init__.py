"""Order, cut and look up: a run and judgments give a ``Ranking``, and grades turn it into what measures may see.

``Topics`` is what a measure of graded judgments sees, ``GroupedTopics`` and ``Preferences`` what the others see.
"""
