"""The command: argv -> options -> evaluation -> reports. Nothing below sees argv or prints.

command           what is done, in order; ``main`` gives the exit status
arguments         argv as trec_eval reads it (getopt_long), and the command of Click that it is for
flags             the options: how they are called, read, explained and completed
options, values   the command line as it was typed, checked; how texts of options become numbers
option_rules      options that need others or exclude them; irevalx-lab has it too
short_help        a sentence for each option, for -h; --help has all; irevalx-lab has it too
explain           measures and formats in plain text, for -h and the manual
"""
