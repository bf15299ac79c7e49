"""Which judgments there are: samples, pools, groups of runs left out, and files of judgments written again."""
