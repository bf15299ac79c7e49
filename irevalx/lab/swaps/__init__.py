"""How often two sets of topics disagree on which of two runs is better: the command swap-rate."""
