"""The command irevalx: argv -> options -> evaluation -> reports. Lower packages neither see argv nor print.

command           the steps of the command; ``main`` returns the exit status
arguments         argv parsed like trec_eval (getopt_long), and the Click command
flags             the options: names, types, help and completion
options, values   the checked command line; the types of options
option_rules      options that require or exclude others; also for irevalx-lab
short_help        one sentence per option, for -h; also for irevalx-lab
explain           help of measures and formats, for -h and the manual
"""
