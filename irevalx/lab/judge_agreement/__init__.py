"""Comparison of machine judgments with human judgments.

labels                labels() and its command
parts                 the typed results, and their long form
document_agreement    agreement on documents
run_agreement         agreement on runs; reranking
real_labels           labels that are not integers; probabilities
preferences           pairwise preferences
error_rates           sensitivity, specificity, prevalence
judges                judges, combined labels, a single judge
several_judges        several judges, and pairs of judges
panels                agreement of all judges, effective number of machines
covariates            whether labels depend on length, system, ...
group_bias            whether a machine favours a group of runs
excess_bias           excess bias of groups and of reranked runs
results               results of one judge and of several judges
figures               confusion, judges, reranked runs, covariates
"""
