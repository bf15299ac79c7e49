"""Judging strategies, which select the next document to judge, given the judgments so far.

The modules do not import click.

strategy                      classes of strategies; candidate documents
registry                      STRATEGIES; the strategies that do not learn
simulation                    strategies simulated on judgments; selection of the next documents
bandits                       move-to-front, hedge, bandits
active_learning               continuous active learning; active sampling
minimal_test_collection       MTC, bounds of P_10
"""
