"""The command irevalx: it parses arguments, evaluates runs and prints reports.

command             the command; ``main`` returns the exit status
arguments           argv parsed like getopt_long; types of options
options             the options and their checked values
explanations        help of measures and formats
"""
