"""Scores from some topics, or documents, that people judged and many that a machine labelled: the command estimate."""
