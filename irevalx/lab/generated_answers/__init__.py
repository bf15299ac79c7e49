"""Scores of generated answers.

nuggets    scores from nugget assignments; nuggets() and its command
"""
