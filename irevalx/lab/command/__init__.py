"""The command group irevalx-lab, and the parameters and output shared by its commands.

program              the group, which imports a command when it is called
help                 commands with brief and full help
recorded_help        help and completion of a command that is not imported
declaration          conversion of a public function to a command
evaluation_options   options of commands that evaluate runs
added_options        options that are added to commands: formats of runs, score files, output, figures
common_options       other parameters that functions and commands share
notes                sentences and column headings that several commands print
output               results, and the files and folders that commands write
"""
