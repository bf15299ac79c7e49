"""Judgments made incomplete, pools of runs, and what to judge next: the commands degrade, pool and next."""
