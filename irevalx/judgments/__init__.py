"""What is known of documents: judgments of each kind, and the pool of documents chosen for judging.

    judged_documents          Documents: all that a ranking needs to know; Kind: what can be said of each kind
                              of judgments; AnyJudgments: all kinds
    graded                    Judgments: grades, perhaps in a sample of strata
    judgment_groups           GroupedJudgments: grades of several users
    preferences               of groups of users: which documents are better than which
    subtopics                 grades for each subtopic, and the ideal lists of topics
    with_probabilities        grades of a sample with inclusion probabilities
    pool                      the pool, and judgments with it

Records without a ranking; ``reading`` makes them from files, ``ranking`` assesses rankings with them.
"""
