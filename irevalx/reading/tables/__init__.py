"""Tables to judgments, runs and pools, beside the readers of text: Arrow batches -> names and numbers -> ``Entries``.

``arrow_streams`` takes batches from whatever offers Arrow's C stream, and ``arrow_columns`` makes names and numbers of
their columns, with one copy and without a loop over rows. A ``Table`` finds columns by name; ``run_tables`` cuts its
rows between topics and ``judged_tables`` takes them as a whole. ``parquet`` opens files as tables. Whatever has columns
of another kind (lists, say) makes a ``Table`` of chunks of its own, and the same builders take it.
"""
