"""One run against the judgments, and many.

    evaluate          one run: choose topics, rank, assess, compute, summarise -> Evaluation
    stacked_runs      many small runs in memory, evaluated as if they were one
    many_runs         several runs, shared among processes, each with a name of its own
    chosen_topics     which topics are evaluated, and the warnings about the others
    topic_values      the values of topics, of one run or many, apart from any summary: ``values_of``, AssessedRanking
    columns           the values under each printed name, summarised over all topics or those of a group, and
                      the intervals of means
    run_warnings      the warnings about a run, alone or stacked: topics left out, documents without judgments, values
    spellings         topics and documents that judgments and run spell otherwise, for warnings
    trace             what the measures see of each topic, as text (``-D``)

The command, Python, Spark and the lab call it; it knows neither options nor formats of files.
"""
