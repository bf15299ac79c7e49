"""What the commands irevalx and irevalx-lab share.

options        declared parameters as options: in messages and help, of Click, and their completion
help           the brief help
suggestions    suggestions for unknown options and commands
"""
