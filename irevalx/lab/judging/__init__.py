"""Judgments made incomplete or biased: samples, pools, groups of runs left out, and files written with other grades."""
