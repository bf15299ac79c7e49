"""The command group irevalx-lab, and the parameters and output shared by its commands.

program        the group: each command is imported when it is called
help           commands with brief and full help
declaration    a public function -> a command
parameters     parameters that functions and commands share
notes          sentences and column headings that several commands print
output         Result; files and folders that commands write
"""
