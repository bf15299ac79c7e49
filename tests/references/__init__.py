"""Expected values of tests: literal references, recorded answers of other programs, and packages by others."""
