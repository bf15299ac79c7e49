"""Files to judgments, runs and pools.

``formats`` lists the formats, a row each. A ``Source`` is opened and decompressed, cut into ``blocks`` of whole topics,
and each block into ``tokens``, whose numbers ``decimals`` reads; ``lines`` puts these steps together for the readers:
``qrels``, ``grouped_files``, ``scored_runs`` and ``pool_file``. Rooms above choose a row and call its ``read``.
"""
