"""Judging strategies: which document to judge next, given the judgments so far; simulated on judgments; no click.

For the topics of the lab. ``STRATEGIES`` lists the strategies, which select among the candidate documents of runs.
"""
