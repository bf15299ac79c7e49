"""Codes of grades and rows for missing judgments, rows and results.

Grades from 0 up are judgments. In a ranking, a negative grade is UNJUDGED or OUTSIDE. The values of both codes are the
same as in trec_eval, and options accept them: ``-l -1`` makes unpooled documents relevant, and ``ndcg.-2=1`` assigns a
gain to pooled but unjudged documents. In judgments, any negative grade marks a pooled but unjudged document.
"""

UNJUDGED = -2
"""The grade of a pooled but unjudged document in a ranking."""

OUTSIDE = -1
"""The grade of an unpooled document in a ranking."""

UNJUDGED_IN_FILES = -1
"""The grade of a pooled but unjudged document in files of judgments."""

ABSENT = -1
"""The row of a document that has no judgment, or the index of a name that does not exist."""

STAND_IN = -2
"""The row of the placeholder document in a topic without results, as in trec_eval."""
