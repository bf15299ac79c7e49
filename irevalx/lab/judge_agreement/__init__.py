"""Comparison of machine judgments with human judgments.

labels                labels() and its command
parts                 the typed results, and their long form
document_agreement    agreement on documents
run_agreement         agreement on runs, and reranking
disagreements         documents with different labels
real_labels           labels that are not integers, and probabilities
preferences           pairwise preferences
error_rates           sensitivity, specificity, prevalence
prevalence            prevalence of relevant documents, estimated from the labels of a judge with errors
judges                labels of judges, combined labels, and the comparison of one judge
several_judges        comparison of several judges, and of pairs of judges
panels                agreement of all judges, effective number of machines
covariates            dependence of labels on a covariate, such as the length of a document
group_bias            tests of whether a machine favours a group of runs
excess_bias           excess bias of groups and of reranked runs
results               results of one judge and of several judges
figures               confusion, judges, reranked runs, covariates
"""
