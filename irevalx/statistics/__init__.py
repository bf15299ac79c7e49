"""Statistics on arrays, independent of retrieval. The modules do not import click.

significance, corrections                      paired tests; corrections for multiple comparisons
interactions, non_inferiority                  topic groups; margins
clusters                                       clusters of dependent topics: cluster-robust tests, design effects
collection_means                               mean differences over several collections
paired_comparisons, decisions                  pairs of runs; significance decisions, letters, sign probabilities
confidence_intervals, power, swap_rates        intervals, power of the t test, swap rates
correlations, bootstrap                        agreement between evaluations, and its topic bootstrap
label_agreement, excess_bias                   agreement between labels; combined labels; bias of machine labels
proportions                                    intervals of proportions and coefficients of agreement
prediction_powered_inference                   estimates from few human and many machine judgments
"""
