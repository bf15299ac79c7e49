"""Readers of tables: judgments, runs and pools from named columns.

``ColumnTable`` finds columns by name. ``ArrowTable`` (``arrow_tables``) has columns of pyarrow, which casts them;
``arrow_runs`` cuts its rows into blocks of whole topics, ``judged_tables`` reads them as a whole, and ``parquet`` opens
files as such tables. ``WholeTable`` has other columns, such as lists, and is read as a whole.
"""
