"""The command: arguments as trec_eval reads them, options, help, and what is done with them."""
