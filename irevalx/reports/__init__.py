"""Evaluations and tables as bytes: trec_eval's lines, displayed tables, values for programs. Nothing here prints.

``OUTPUT_FORMATS`` has one record per format, from which the choices of ``--format``, help, manual pages, README and
tests are generated. A format converts an ``EvaluationReport`` (irevalx) or ``Table``s (irevalx-lab) to lines.

    output_formats    OUTPUT_FORMATS
    report            evaluations to be printed; summaries over all topics and over topic groups, with intervals
    table             rows with columns
    trec              trec_eval's three columns
    overview          evaluations compared in a table
    records           values for programs: csv, tsv, json, jsonl
"""

from irevalx.reports.output_formats import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, format_help

__all__ = ["DIGITS", "MOST_DIGITS", "OUTPUT_FORMATS", "OutputFormat", "format_help"]
