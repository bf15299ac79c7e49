"""Files to judgments, runs and pools.

``formats`` lists the formats, a row each. A ``Source`` is opened and decompressed, cut into ``blocks`` of whole topics,
and each block into the columns of its ``lines``, whose numbers ``decimals`` reads. That is what the readers share:
``qrels``, ``grouped_files``, ``scored_runs`` and ``pool_file``. Rooms above choose a row and call its ``read``.
"""
