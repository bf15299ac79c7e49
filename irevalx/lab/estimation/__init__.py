"""Estimation of measure values from few human and many machine judgments, of topics or of documents.

estimate            estimate() and its command
document_samples    estimates from labelled documents
sampling_design     selection of documents to label
results             rows and tables of estimates
figures             intervals
"""
