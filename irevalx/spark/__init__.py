"""The same evaluation on Spark: judgments and runs in its data frames, and values equal to the last bit.

``jobs`` plans: Spark groups rows by topic, its workers evaluate blocks of whole topics, and then aggregate the values
of each run (``arrow_rows``). ``parts`` evaluates in parts and does not depend on Spark. Only this package uses Spark;
programs import it as ``irevalx.spark``.
"""

from irevalx.errors import imported

imported("pyarrow", "spark", "irevalx.spark")

from irevalx.spark.jobs import Values, evaluate  # noqa: E402 - what it needs is named first

__all__ = ["Values", "evaluate"]
