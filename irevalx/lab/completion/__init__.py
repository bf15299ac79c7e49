"""Holes in judgments filled from the text of documents: the command complete."""
