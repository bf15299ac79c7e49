"""Arrays without a word of retrieval: ragged rows, byte strings, a table that finds documents, and codes.

Everything here takes and gives numpy arrays, and any room above may call it.
"""
