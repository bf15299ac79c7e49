"""Holes in judgments filled from the text of documents: collections, classifiers, predictions and how good they are."""
