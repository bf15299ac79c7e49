"""The command irevalx, which parses arguments, evaluates runs and prints reports.

command       the command; ``main`` returns the exit status
arguments     parsing of arguments like getopt_long; types of options
options       declarations of the options, and their parsed values
explanations  help of measures and formats
"""
