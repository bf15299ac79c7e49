"""A page of an evaluation to look at: its data, what stands in it as sentences, and the file in which all of it is."""
