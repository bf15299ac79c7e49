"""The same evaluation on Spark: its data frames in, and the same values to the last bit.

Spark groups the rows of each topic, its workers evaluate blocks of whole topics, and combine the topic values of each
run. Only this package imports Spark; programs import it as ``irevalx.spark``.

    jobs          evaluate() on Spark: the plan
    partitions    the work of Spark's workers, and the `all` rows
"""

from irevalx.errors import imported

imported("pyarrow", "spark", "irevalx.spark")

from irevalx.spark.jobs import Values, evaluate  # noqa: E402 - what it needs is named first

__all__ = ["Values", "evaluate"]
