"""Estimation of measure values from few human and many machine judgments, of topics or of documents.

estimate            estimate() and its command
answers             scores of answers: estimates, and the answers to score
topic_estimates     estimates if only some topics have human values, and plans
document_samples    estimates from labelled documents
sampling_design     selection of documents to label
results             rows and tables of estimates
figures             intervals
"""
