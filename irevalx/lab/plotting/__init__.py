"""Figures in a common style for papers. The modules do not depend on any command.

Modules that require matplotlib are imported only when a figure is drawn, because matplotlib is an optional dependency.

    page          page, style, words, rows (matplotlib)
    ticks         ticks of axes (matplotlib)
    line_panels   lines and panels of lines, without matplotlib
    curves        curves with bands (matplotlib)
    panels        matrices, intervals, scatter plots (matplotlib)
    ranges        ranges of measure values, without matplotlib
"""
