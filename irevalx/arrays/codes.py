"""Codes that represent missing judgments among grades, and missing documents among row numbers.

A grade of at least 0 is a judgment. In a ranking, a negative grade is UNJUDGED or OUTSIDE. The values of both codes are
the same as in trec_eval, and options accept them: ``-l -1`` makes unpooled documents relevant, and ``ndcg.-2=1``
assigns a gain to pooled but unjudged documents. In judgments, any negative grade marks a pooled but unjudged document.
"""

UNJUDGED = -2
"""The grade of a pooled but unjudged document in a ranking."""

OUTSIDE = -1
"""The grade of an unpooled document in a ranking."""

UNJUDGED_IN_FILES = -1
"""The grade of a pooled but unjudged document in files of judgments."""

ABSENT = -1
"""The value that represents the row of a document without a judgment, or the index of an unknown name."""

STAND_IN = -2
"""The value that represents the row of the placeholder document that trec_eval adds to a topic without results."""
