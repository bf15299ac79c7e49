"""The number of topics that an experiment requires, and swap rates.

power        power() and its command
swap_rate    swap_rate() and its command
figures      power curves, swap rates
"""
