"""Readers: files and tables to judgments, runs and pools.

``formats`` lists the file formats. A ``Source`` is opened and decompressed, cut into ``blocks`` of whole topics, and
each block is cut into columns by ``lines``; ``decimals`` parses their numbers. The readers of the formats are in
``qrels`` (also pools), ``grouped_files``, ``subtopic_files``, ``prels_files``, ``scored_runs`` and ``json_files``.
``beginnings`` detects formats and likely mistakes from the first lines, ``line_warnings`` and ``score_warnings`` detect
suspicious lines and scores of runs, and ``hints`` and ``format_hints`` suggest fixes.
"""
