"""HTML report of an evaluation.

report      report() and its command
page        the HTML file, with packed data
data        data of the report; findings and cautions as sentences
scores      measure values of runs; contributions of documents
rankings    top documents of runs, and their texts
"""
