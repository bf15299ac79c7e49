"""Conversion of files and Python objects to judgments, runs and pools.

A source yields rows with named columns, in blocks of whole topics. Judgments, runs and pools are built from
these columns.

formats           FILE_FORMATS: all formats; the packages above call their ``read``
judgment_formats  one record per format of judgments
run_formats       one record per format of runs, and of pools
file_format       FileFormat, the class of these records, which selects the source and the builder of an input
layout            layout of a format's lines; rules for reading values; hints about malformed lines
format_hints      the probable format of malformed lines
grade_rules       valid grades
label_words       grades of labels that are words
column_names      names of the columns of tables and layouts
topic_groups      topic groups from a file
collection_files  several collections, given by patterns of paths or by dictionaries
kinds/            builders of judgments, pools and runs
sources/          sources of rows: files, lines, JSON, tables, Python values
"""
