"""Rankings of runs, and the input of measures, which is created from rankings and judgments.

rank             sort results, truncate, look up documents; assess
rules            the rules of a ranking
short_lists      fast ranking of short lists of results
ranking          Ranking: the ranks of the pooled documents, without grades
topics           Topics, SampledTopics; C arithmetic on arrays
topic_kinds      topics with judgment groups, subtopics, inclusion probabilities, preferences
expected_values  tied scores and relevance probabilities
"""
