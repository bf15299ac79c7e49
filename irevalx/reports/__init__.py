"""Output of evaluations and tables as bytes: lines of trec_eval, overview tables, records. No module here prints.

``OUTPUT_FORMATS`` contains one record for each format. The choices of ``--format``, help, manual pages, README and
tests are derived from it. irevalx passes an ``EvaluationReport`` to a format, and irevalx-lab passes ``Table``s.
irevalx passes an ``EvaluationReport`` to a format, and irevalx-lab passes ``Table``s. Every format returns lines.
"""

from irevalx.reports.output_formats import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, format_help

__all__ = ["DIGITS", "MOST_DIGITS", "OUTPUT_FORMATS", "OutputFormat", "format_help"]
