"""Code shared by the commands irevalx and irevalx-lab.

options        declared parameters as options: in messages and help, and of Click
completion     options of Click with several names, and the completion of their values
help           the brief help
suggestions    suggestions for unknown options and commands
"""
