"""Holes in judgments filled from the text of documents: the command complete.

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
