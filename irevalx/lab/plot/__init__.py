"""Figures for papers in one style: pages, curves, panels, rows, ticks.

Imported only when a figure is drawn: matplotlib comes with the extra.
"""
