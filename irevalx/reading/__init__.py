"""Files to data: ``source`` opens and decompresses, ``formats`` knows what a line means."""
