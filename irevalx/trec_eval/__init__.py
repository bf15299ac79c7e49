"""Behaviour of the C program: its two versions, numbers as C reads and prints them, and the C library's merge sort."""
