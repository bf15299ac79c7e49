"""The command irevalx: argv -> options -> evaluation -> reports.

command             the command; ``main`` returns the exit status
arguments           argv parsed like getopt_long; types of options
option_rules        the option class, hints for unknown options, and the brief help
options             the options and their checked values
declared_options    declared parameters as arguments and options of Click
explanations        help of measures and formats; citations
"""
