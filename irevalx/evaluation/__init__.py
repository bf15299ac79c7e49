"""Evaluation of one run against the judgments, and of many.

    evaluate          one run: choose topics, rank, assess, compute, summarise -> Evaluation
    stacked_runs      many small runs in memory, evaluated as if they were one
    many_runs         several runs, shared among processes, with unique names
    chosen_topics     which topics are evaluated, and the warnings about the others
    topic_values      the values of topics, of one run or many, before any summary: ``values_of``, AssessedRanking
    columns           the values under each printed name, summarised over all topics or a group; intervals of means
    run_warnings      the warnings about a run, alone or stacked: topics left out, documents without judgments, values
    spellings         topics and documents with different spellings in judgments and run, for warnings
    trace             what the measures see of each topic, as text (``-D``)

The command, Python, Spark and the lab call it; it knows neither options nor file formats.
"""
