"""Literal references, recorded answers of other programs, and packages by others that judge irevalx."""
