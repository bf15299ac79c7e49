"""Scores of generated answers.

nuggets    nuggets() and its command
"""
