"""Kinds of input: judgments, pools and runs, built from any source.

graded            qrels, pools, inclusion probabilities
grouped           judgment groups, preferences, subtopics
runs              RunStream, ResultRows; warnings about scores
run_files         run files, warnings about their lines
judgment_tables, run_tables    judgments and pools in tables; runs in tables
json              judgments and runs from JSON
python_objects    all kinds from dictionaries
arrow_runs        runs from Arrow in blocks
builder           judgments, pools and runs from columns
"""
