"""The number of topics that an experiment requires.

power        power() and its command
swap_rate    swap_rate() and its command
figures      power curves, swap rates
"""
