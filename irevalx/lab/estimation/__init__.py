"""Scores from some topics that people judged and many that a machine labelled: the command estimate."""
