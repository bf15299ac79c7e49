"""The number of topics that an experiment requires, and swap rates.

power        power() and its command
swap_rate    swap_rate() and its command
swaps        swap rates by the size of topic sets and by the size of differences
figures      power curves, swap rates
"""
