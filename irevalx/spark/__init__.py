"""The same evaluation on Spark: judgments and runs in its data frames, and the same values to the last bit.

``jobs`` plans: Spark brings the rows of each topic together, its workers evaluate blocks of whole topics, and then fold
what the topics of each run score (``arrow_rows``). ``parts`` is an evaluation in parts, which knows nothing of Spark.
Only this room knows Spark; programs import it as ``irevalx.spark``.
"""

from irevalx.errors import imported

imported("pyarrow", "spark", "irevalx.spark")

from irevalx.spark.jobs import Values, evaluate  # noqa: E402 - what it needs is named first

__all__ = ["Values", "evaluate"]
