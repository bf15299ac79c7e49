"""Code that the commands irevalx and irevalx-lab share.

options      conversion of declared parameters to options of Click
completion   options with several names, and shell completion
help         the brief help
suggestions  suggestions for unknown options and commands
"""
