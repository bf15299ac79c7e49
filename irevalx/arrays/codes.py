"""Codes of grades and rows for missing judgments, rows and results.

Grades from 0 up are judgments. In a ranking, a grade below 0 is UNJUDGED or OUTSIDE; both values are those of trec_eval
and can be used in options: ``-l -1`` makes unpooled documents relevant, and ``ndcg.-2=1`` gives pooled ones a gain. In
judgments, any grade below 0 marks a pooled but unjudged document.
"""

UNJUDGED = -2
"""The grade, in a ranking, of a pooled but unjudged document."""

OUTSIDE = -1
"""The grade, in a ranking, of an unpooled document."""

UNJUDGED_IN_FILES = -1
"""The grade of a pooled but unjudged document in files of judgments."""

ABSENT = -1
"""The row of a document without a judgment, or the index of a missing name."""

STAND_IN = -2
"""The row of the placeholder document of a topic without results, as in trec_eval."""
