"""What the C program does: its two versions, numbers as C reads and prints them, and the C library's merge sort."""
