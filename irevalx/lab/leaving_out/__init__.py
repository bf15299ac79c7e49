"""Groups of runs judged without the documents that only they have found: the command leave-out."""
