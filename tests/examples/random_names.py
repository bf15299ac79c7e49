"""Random tokens: topics, documents and whatever else stands in a column."""

from __future__ import annotations

from hypothesis import strategies as st

ID_BYTES = [byte for byte in range(1, 256) if byte not in b" \t\n\v\f\r"]
"""The bytes of a token: all but the separators and NUL."""

USUAL = [b"1", b"2", b"10", b"A", b"#", b"#x", b"x" * 7, b"x" * 8, b"x" * 9, b"\xff\xfe", b"\xc2\xa0", b"-", b"\x01"]
"""Tokens so few that some are equal, or the beginning of another."""


def ids(longest: int = 12) -> st.SearchStrategy[bytes]:
    """Tokens, mostly short, of any bytes that are no separators."""
    drawn = st.binary(min_size=1, max_size=longest)  # Hypothesis draws bytes at once, but a list byte by byte
    return st.one_of(
        st.sampled_from(USUAL), drawn.map(lambda token: bytes(ID_BYTES[byte % len(ID_BYTES)] for byte in token))
    )
