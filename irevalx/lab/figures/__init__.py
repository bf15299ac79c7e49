"""Figures for papers, in one style: from a study, a comparison, swap rates, runs left out, or a description to a page.

Called by the commands only, as matplotlib comes with the extra. ``page`` knows sizes, colours and files, ``curves``
lines with bands and their labels; each of the other modules turns one kind of result into a ``Figure``.
"""
