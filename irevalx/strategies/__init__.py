"""Judging strategies: which document to judge next, given the judgments so far; no click.

strategy                      what a strategy is; candidate documents
registry                      STRATEGIES; strategies that do not learn
simulation                    strategies simulated on judgments; selection of the next documents
bandits                       move-to-front, hedge, bandits
active_learning               continuous active learning; active sampling
minimal_test_collection       MTC, bounds of P_10
"""
