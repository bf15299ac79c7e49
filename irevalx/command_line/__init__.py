"""What the commands irevalx and irevalx-lab share.

options        declared parameters as arguments and options of Click, and their completion
notation       parameters in messages and help as options
help           the brief help
suggestions    suggestions for unknown options and commands
"""
