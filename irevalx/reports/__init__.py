"""Evaluations and tables as bytes: trec_eval's lines, tables for people, values for programs. Nothing here prints.

``OUTPUT_FORMATS`` has one row per format: the choices of ``--format``, help, manual pages, README and tests follow from
it. The command hands a format a ``Report``, ``irevalx-lab`` hands it ``Table``s; both get lines back.

    output_formats    OUTPUT_FORMATS
    report            what is to be shown of evaluations; summaries of all topics and of groups, with intervals
    table             rows with columns
    trec              trec_eval's three columns
    overview          evaluations side by side, as a table
    records           values for programs: csv, tsv, json, jsonl
"""

from irevalx.reports.output_formats import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, format_help

__all__ = ["DIGITS", "MOST_DIGITS", "OUTPUT_FORMATS", "OutputFormat", "format_help"]
