"""Sources of the expected values in tests: literal loops, recorded output of other programs, and other packages."""
