"""Arrays: ragged rows, byte strings, a table that finds documents, and codes; nothing of retrieval.

Any package can call it.
"""
