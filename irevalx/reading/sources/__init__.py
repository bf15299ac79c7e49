"""Sources of data: files, text, Arrow tables and Python values. No module here imports ``reading.kinds``.

files          a path or standard input, plain or compressed; decompression
blocks         files -> blocks of whole topics
first_lines    format recognition, and warnings about likely mistakes
lines          lines -> columns, numbers and grades; errors about both
decimals       decimal numbers in a column of texts
columns        columns by name; lists of Python values -> names and arrays
tables         which source a Python value is: data frames, dictionaries of columns, named tuples
arrow          Arrow tables and streams, Parquet (requires pyarrow)
"""
