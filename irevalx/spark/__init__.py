"""Evaluation of Spark data frames. The values are bit-for-bit identical to those of ``irevalx.evaluate``.

Spark groups the rows of each topic. Spark's workers evaluate blocks of complete topics, and then combine the topic
values of each run. No other package imports Spark.

    jobs          evaluate() and the plan of its Spark jobs
    partitions    the functions that run on Spark's workers; the `all` rows
"""

from irevalx.errors import imported

imported("pyarrow", "spark", "irevalx.spark")

from irevalx.spark.jobs import Values, evaluate  # noqa: E402 - what it needs is named first

__all__ = ["Values", "evaluate"]
