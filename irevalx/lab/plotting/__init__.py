"""Figures for papers in one style, independent of any command.

Imported only where a figure is drawn, since matplotlib is an optional dependency.

    page      page, style, ticks, rows (matplotlib)
    curves    curves with bands (matplotlib)
    panels    matrices, intervals, scatter plots (matplotlib)
    ranges    ranges of measure values, without matplotlib
    short_names  short, distinct names of runs, without matplotlib
"""
