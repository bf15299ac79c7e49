"""Whether runs differ: the command compare."""
