"""Files and Python objects -> judgments, runs and pools.

A source has rows with named columns, in blocks that end between topics; a kind is built from these columns.

formats         FILE_FORMATS: one record per format; the packages above call its ``read``
file_format     FileFormat, the class of these records: which source an input is, and which kind is built from it
rules           how the values of an input are read
layout          layout of the lines of a format; hints for malformed lines
format_hints    the format that malformed lines probably have
grade_rules     which numbers are valid grades
column_names    names of the columns of tables and layouts
topic_groups    topic groups from a file
kinds/          one builder per kind of input: judgments, pools, runs
sources/        where the data comes from: files, lines, JSON, tables, Python values; no kinds
"""
