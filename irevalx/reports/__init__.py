"""Evaluations as bytes: trec_eval's lines, tables for people, records for programs. Nothing here prints."""
