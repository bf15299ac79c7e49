"""Data that tests make: judgments, runs, labels, topics and tables."""
