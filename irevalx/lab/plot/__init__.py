"""Figures for papers in one style: pages, curves, panels, rows; no word of any command.

Imported only where something is drawn, as matplotlib comes with the extra.
"""
