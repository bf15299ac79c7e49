"""The HTML report of an evaluation.

report              report() and its command
collection_reports  reports of several collections
page                the HTML file, with packed data
static              table of means for readers without JavaScript
findings            findings and cautions as sentences
data                data of the report
scores              measure values of runs; contributions of documents
judges              agreement with machine judgments
inputs              groups of runs and topics, and names of files
overlaps            rank-biased overlap of pairs of runs
rankings            top documents of runs, and their texts
"""
