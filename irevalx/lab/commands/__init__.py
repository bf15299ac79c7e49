"""The commands of irevalx-lab, each in a module of its own that is imported when it is called."""
