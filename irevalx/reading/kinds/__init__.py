"""Builders of judgments, pools and runs from the rows of any source.

graded          qrels, pools, inclusion probabilities
grouped         judgment groups, preferences, subtopics
runs            RunStream, ResultRows; warnings about scores
run_files       runs from files; warnings about their lines
run_tables      runs in tables and JSON objects
arrow_runs      runs in Arrow tables, in blocks
python_objects  judgments and runs from dictionaries {topic: {docno: number}}
builder         judgments and runs from columns in memory
"""
