"""Judgments made incomplete, and pools of runs: the commands degrade and pool."""
