"""Data structures that are built on NumPy arrays and know nothing about retrieval.

byte_strings    many byte strings at once; DocumentTable
codes           codes of grades and rows
segments        ragged rows: Segments, ratio, ordered_sum
"""
