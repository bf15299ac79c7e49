"""Figures in a common style for papers, independent of any command.

Modules that require matplotlib are imported only when a figure is drawn, because matplotlib is an optional dependency.

    names     short names of runs, without matplotlib
    page      page, style, words, rows (matplotlib)
    ticks     ticks of axes (matplotlib)
    curves    curves with bands (matplotlib)
    panels    matrices, intervals, scatter plots (matplotlib)
    ranges    ranges of measure values, without matplotlib
"""
