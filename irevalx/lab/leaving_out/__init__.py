"""Reusability: runs re-evaluated without the unique documents of their groups; leave-out.

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
