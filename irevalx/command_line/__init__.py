"""Code shared by the commands irevalx and irevalx-lab.

options        declared parameters as options: in messages and help, of Click, and their completion
help           the brief help
suggestions    suggestions for unknown options and commands
"""
