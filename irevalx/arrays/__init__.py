"""Arrays, independent of retrieval; numpy arrays in and out.

byte_strings    many byte strings at once; DocumentTable
codes           codes of grades and rows
segments        ragged rows: Segments, ratio, ordered_sum
"""
