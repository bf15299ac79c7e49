"""Files to judgments, runs and pools.

``formats`` lists the formats, a row each. A ``Source`` is opened and decompressed, cut into ``blocks`` of whole topics,
and each block into the columns of its ``lines``, whose numbers ``decimals`` reads. That is what the readers share:
``qrels`` (and pools), ``grouped_files``, ``subtopic_files``, ``prels_files`` and ``scored_runs``. Rooms above choose a
row and call its ``read``.

``beginnings`` recognises formats and mistakes by the first lines. ``line_warnings`` and ``score_warnings`` find lines
and scores of runs that are probably not what they were meant to be. ``hints`` and ``format_hints`` say what to do.
"""
