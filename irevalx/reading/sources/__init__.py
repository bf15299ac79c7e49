"""Sources of rows: files, text, JSON, Arrow tables and Python values.

rows          Rows of any source, and their Columns
files         a path or standard input, plain or compressed
compression   decompression of files while they are read
blocks        files -> blocks of whole topics
first_lines   recognition of a file's format by its first lines; likely mistakes
lines         lines -> columns, numbers and grades; errors about both
decimals      decimal numbers in a column of strings
text_rows     rows of text files in the layout of a format
text_tables   rows of tables with a header, and of JSON Lines
json_objects  rows of JSON objects {topic: {docno: number}}
nested        rows of nested dictionaries
columns       tables: columns by name; lists of Python values -> names and arrays
tables        recognition of Python tables: data frames, dictionaries of columns, named tuples
arrow         Arrow tables and streams, Parquet (requires pyarrow)
"""
