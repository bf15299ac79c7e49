"""Conversion of evaluations and tables to bytes: lines of trec_eval, overview tables and records.

The modules do not print.

``OUTPUT_FORMATS`` contains one record for each format. The choices of ``--format``, help, manual pages, README and
tests are derived from it. irevalx passes an ``EvaluationReport`` to a format, and irevalx-lab passes ``Table``s. The
format returns lines.

    output_formats    OUTPUT_FORMATS
    report            evaluations as trec_eval's lines, overview
    collections       tables of runs over several collections
    best              the best of several values
    records           values for programs: csv, tsv, json, jsonl
    table             Table and its text
    latex             tables in LaTeX
    fitting           tables that fit the width of a terminal
    names             short names of runs
    frames            data frames of pandas and polars, Arrow tables
"""

from irevalx.reports.output_formats import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, format_help

__all__ = ["DIGITS", "MOST_DIGITS", "OUTPUT_FORMATS", "OutputFormat", "format_help"]
