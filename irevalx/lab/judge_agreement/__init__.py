"""Comparison of machine judgments with human judgments.

labels                labels() and its command
document_agreement    agreement on documents
run_agreement         agreement on runs; reranking
judges                judges, combined labels, a single judge
results               results of one judge, of several
figures               confusion, judges, reranked runs
"""
