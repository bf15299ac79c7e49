"""An HTML report of an evaluation: its data, its sentences, and the file that contains them."""
