"""What judgments and runs hold: the command describe."""
