"""Bounds of scores and differences over all completions of the judgments: bounds."""
