"""Tables to judgments, runs and pools, beside the readers of text.

A ``Table`` finds columns by name. That of ``arrow_tables`` has arrays of pyarrow, which casts them to what is read:
``arrow_runs`` makes blocks of whole topics of its rows, and ``judged_tables`` takes them as a whole. ``parquet`` opens
files as such tables. What has columns of another kind, lists say, is a table that is read as a whole (``WholeTable``).
"""
