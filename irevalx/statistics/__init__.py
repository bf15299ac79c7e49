"""Statistics on arrays, independent of retrieval. The modules do not import click.

significance, corrections                      paired tests; corrections for multiple comparisons
randomised_tukey                               the randomised Tukey HSD test of all pairs of runs
clusters                                       clusters of dependent topics: cluster-robust tests, design effects
collection_means                               mean differences over several collections
paired_comparisons, decisions                  pairs of runs; significance decisions, letters, sign probabilities
confidence_intervals, power                    intervals; the power of the t test
correlations, bootstrap                        agreement between evaluations, and its topic bootstrap
label_agreement                                agreement between labels; combined labels
proportions                                    intervals of proportions and coefficients of agreement
prediction_powered_inference                   estimates from few human and many machine judgments
"""
