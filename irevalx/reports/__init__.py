"""Evaluations and tables as bytes: trec_eval's lines, tables for people, values for programs. Nothing here prints.

``OUTPUT_FORMATS`` has one row a format: the choices of ``--format``, help, manual pages, README and tests follow from
it. The command hands a format a ``Report``, ``irevalx-lab`` hands it ``Table``s; both get lines back.
"""

from irevalx.reports.output_formats import DIGITS, MOST_DIGITS, OUTPUT_FORMATS, OutputFormat, explained

__all__ = ["DIGITS", "MOST_DIGITS", "OUTPUT_FORMATS", "OutputFormat", "explained"]
