"""Files and Python objects -> judgments, runs and pools.

formats         FILE_FORMATS: one record per format; the packages above call its ``read``
file_format     FileFormat, the class of these records
layout          layout of the lines of a format; hints for malformed lines
format_hints    the format that malformed lines probably have
grade_rules     which numbers are valid grades
column_names    names of the columns of tables
topic_groups    topic groups from a file
kinds/          one reader or builder per kind of input: judgments, pools, runs
sources/        where the data comes from: files, lines, Arrow, tables; no kinds
"""
