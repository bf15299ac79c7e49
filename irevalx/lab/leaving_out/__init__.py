"""Groups of runs judged without the documents that only they have found: the command leave-out.

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
