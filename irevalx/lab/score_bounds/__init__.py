"""Bounds and probabilities of measure values if some documents are unjudged.

bounds              bounds() and its command
results             rows and sentences
extremes            minimum and maximum over all completions
probabilities       relevance probabilities, expected values
relevance_models    relevance models fitted to the judgments
figures             determined pairs
"""
