"""The codes of grades and rows that stand for "not", each with one meaning.

Grades from 0 up are judgments. In a ranking a grade below 0 is ``UNJUDGED`` or ``OUTSIDE``; both numbers are
trec_eval's, and users meet them: ``-l -1`` makes documents outside the pool relevant, and ``ndcg.-2=1`` gives pooled
ones a gain. In judgments any grade below 0 is that of a pooled document that nobody judged.
"""

UNJUDGED = -2
"""The grade, in a ranking, of a document that was pooled and not judged."""

OUTSIDE = -1
"""The grade, in a ranking, of a document outside the pool."""

UNJUDGED_IN_FILES = -1
"""The grade that files of judgments give to a document that was pooled and not judged."""

ABSENT = -1
"""The row, or the place, of what is not there: a document without a row in the judgments, a name not in a list."""

STAND_IN = -2
"""The row of a document that was not retrieved: for a topic without results trec_eval makes one up."""
