"""Order, cut and look up: a run and judgments give a ``Ranking``, and grades make it what measures see.

rules                     how a run is ranked
rank, order               a run is read block by block, and each topic is sorted and cut
short_lists               a single short list is ranked without arrays
ranking                   Ranking: ranks of the judged documents; knows no grades
assess                    from a ranking and judgments of any kind to what measures see:
topics                    Topics, of grades, and SampledTopics, of grades in a sample of strata
grouped_topics            GroupedTopics, of grades in groups
assessed_preferences      Preferences
topics_with_subtopics, topics_with_probabilities
rounding                  integers, powers and logarithms like in C
"""
