"""Rankings of runs, and the input of measures, which is created from rankings and judgments.

rank               order, cut, look up; assess
rules              the rules of a ranking
short_lists        short lists of results, ranked without blocks
ranking            Ranking: the ranks of the pooled documents, without grades
topics             Topics, SampledTopics; C arithmetic on arrays
topic_kinds        topics with judgment groups, subtopics, inclusion probabilities, preferences
expected_values    tied scores and relevance probabilities
"""
