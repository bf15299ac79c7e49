"""Gzip, bzip2, xz and zstd, read to the last byte of the last stream or refused.

Where the packages of the extra ``fast`` are installed, ISA-L decodes gzip, in about a third of the time of zlib; and
zstd can be read before Python 3.14, which has a module for it.

A compressed file is one stream after another; between and after them there may be padding, as each format allows it.
Messages count the bytes of the compressed file from 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

from irevalx.errors import UnreadableFileError, not_installed, quote
from irevalx.frozen import Frozen

PIECE = 1 << 14
"""The number of compressed bytes decoded at a time: messages say to within a piece where damage was noticed."""


class Readable(Protocol):
    """All that is asked of a stream."""

    def read(self, size: int, /) -> bytes:
        """Return at most this number of bytes; none at the end."""


class Decoder(Protocol):
    """Decodes one stream, as those of ``bz2``, ``lzma``, ``zstd`` and ``isal`` do.

    ``needs_input`` says whether there is nothing left to give without more of the stream, ``eof`` whether the stream
    has ended; ``unused_data`` is then what was given to it after the end.
    """

    @property
    def eof(self) -> bool: ...  # noqa: D102
    @property
    def needs_input(self) -> bool: ...  # noqa: D102
    @property
    def unused_data(self) -> bytes: ...  # noqa: D102
    def decompress(self, data: bytes, /, max_length: int) -> bytes: ...  # noqa: D102


MakeDecoder: TypeAlias = Callable[[bytes], Decoder]
"""Makes the decoder of a stream that begins with some bytes."""


class Compression(Frozen):
    """A way to compress files.

    Parameters
    ----------
    name : for messages.
    starts : how a stream begins.
    decoder : imports the module; returns what makes the decoder of a stream, given its first bytes, and what that
        raises when the data is damaged. Raises ImportError where there is no such module.
    padding : zeros may follow a stream in multiples of this number; none if it is 0.
    ends_with_padding : whether nothing may come after padding.
    follows : what may follow a stream, for messages.
    """

    name: str
    starts: tuple[bytes, ...]
    decoder: Callable[[], tuple[MakeDecoder, tuple[type[Exception], ...]]]
    padding: int
    ends_with_padding: bool
    follows: str


class _GzipDecoder:
    """The decoder of ``zlib``, made like the others."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)  # with the header and the checksum of gzip
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, /, max_length: int) -> bytes:
        decoded = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(decoded) < max_length and not self._inner.unconsumed_tail
        return decoded


def _gzip_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import zlib
    from importlib import import_module

    try:
        isal = import_module("isal.igzip_lib")
    except ImportError:
        return lambda start: _GzipDecoder(), (zlib.error,)

    def make(start: bytes) -> Decoder:
        # ISA-L takes no notice of reserved flags, which gzip and zlib refuse.
        is_reserved = len(start) > _GZIP_FLAGS and start[_GZIP_FLAGS] >= _GZIP_RESERVED
        return _GzipDecoder() if is_reserved else cast("Decoder", isal.IgzipDecompressor(flag=isal.DECOMP_GZIP))

    return make, (isal.IsalError, zlib.error)


def _bzip2_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import bz2

    return lambda start: bz2.BZ2Decompressor(), (OSError,)


def _xz_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    import lzma

    return lambda start: lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError,)


def _zstd_decoder() -> tuple[MakeDecoder, tuple[type[Exception], ...]]:
    from importlib import import_module

    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return lambda start: cast("Decoder", zstd.ZstdDecompressor()), (zstd.ZstdError,)


_GZIP_FLAGS, _GZIP_RESERVED = 3, 0x20
"""Where a stream of gzip has its flags, and the first of those that have no meaning."""

# A topic may well begin with "BZh1": what follows in a real bzip2 file is a block or the end of the stream.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
COMPRESSIONS = (
    Compression(
        name="gzip",
        starts=(b"\x1f\x8b\x08",),
        decoder=_gzip_decoder,
        padding=1,
        ends_with_padding=True,
        follows="another one, or zeros to the end of the file",
    ),
    Compression(
        name="bzip2",
        starts=tuple(b"BZh%d" % level + block for level in range(1, 10) for block in _BZIP2_BLOCKS),
        decoder=_bzip2_decoder,
        padding=0,
        ends_with_padding=True,
        follows="another one",
    ),
    Compression(
        name="xz",
        starts=(b"\xfd7zXZ\x00",),
        decoder=_xz_decoder,
        padding=4,
        ends_with_padding=False,
        follows="another one, or zeros, a multiple of four of them",
    ),
    Compression(
        name="zstd",
        starts=(b"\x28\xb5\x2f\xfd", *(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))),
        decoder=_zstd_decoder,
        padding=0,
        ends_with_padding=True,
        follows="another one",
    ),
)

LONGEST_START = max(len(start) for compression in COMPRESSIONS for start in compression.starts)
"""The number of first bytes that tell whether a file is compressed."""


def compression_of(head: bytes) -> Compression | None:
    """Return how a file that begins with these bytes is compressed; None if it is not."""
    return next((compression for compression in COMPRESSIONS if head.startswith(compression.starts)), None)


class Decompressed:
    """What a compressed file holds, decoded as it is asked for.

    Parameters
    ----------
    compression : how it is compressed.
    ahead : the file.
    name : what messages call it.

    Raises
    ------
    UnreadableFileError : there is no module that decodes it.
    """

    def __init__(self, compression: Compression, ahead: Ahead, name: str) -> None:
        self._compression = compression
        self._input = ahead
        self._name = name
        try:
            self._make, self._damage = compression.decoder()
        except ImportError:
            needed = f"Python 3.14 or {not_installed('backports.zstd', 'fast')}"
            raise UnreadableFileError(f"{name}: {compression.name} data needs {needed}") from None
        self._decoder = self._make(self._input.look_ahead(LONGEST_START))
        self._begin = 0
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Return this number of bytes, fewer only at the end; however much the file holds, memory is for these alone.

        Raises
        ------
        UnreadableFileError : a stream is damaged or cut short, or followed by what is neither a stream nor padding.
        """
        pieces = []
        while size > 0 and not self._ended:
            piece = self._decode(size)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _decode(self, most: int) -> bytes:
        """Return at most this number of bytes, perhaps none."""
        if self._decoder.eof:
            self._input.give_back(self._decoder.unused_data)
            self._ended = not self._at_another_stream()
            if self._ended:
                return b""
            self._begin = self._input.offset
            self._decoder = self._make(self._input.look_ahead(LONGEST_START))
        given = b""
        if self._decoder.needs_input:
            given = self._input.piece()
            if not given:
                raise UnreadableFileError(
                    f"{self._name}: {self._compression.name} data must be complete, but the file is cut short: it ends "
                    f"at byte {self._input.offset}, within the stream that begins at byte {self._begin}"
                )
        try:
            return self._decoder.decompress(given, max_length=most)
        except self._damage as error:
            raise UnreadableFileError(
                f"{self._name}: {self._compression.name} data must be intact, but is damaged before byte "
                f"{self._input.offset}, in the stream that begins at byte {self._begin} ({error})"
            ) from None

    def _at_another_stream(self) -> bool:
        """Return whether a stream follows, and skip the padding in front of it; False at the end of the file."""
        end = self._input.offset
        zeros = self._input.skip_zeros()
        compression = self._compression
        if zeros and (not compression.padding or zeros % compression.padding):
            raise self._wrong_follower(f"{zeros} zeros", end)
        start = self._input.look_ahead(LONGEST_START)
        if not start:
            return False
        # A file that ends within the first bytes of a stream is for the decoder, which finds it cut short.
        begins = any(start.startswith(whole) or whole.startswith(start) for whole in compression.starts)
        if not begins or (zeros and compression.ends_with_padding):
            raise self._wrong_follower(quote(start), self._input.offset)
        return True

    def _wrong_follower(self, shown: str, offset: int) -> UnreadableFileError:
        return UnreadableFileError(
            f"{self._name}: what follows a stream of {self._compression.name} data must be "
            f"{self._compression.follows}, but got {shown} at byte {offset}"
        )


class Ahead:
    """A stream of which some first bytes may have been read already, and are there once more.

    ``offset`` counts those that were taken.
    """

    def __init__(self, head: bytes, stream: Readable) -> None:
        self.offset = 0
        self._ahead = head
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """Take the first bytes, then the others; what cannot be sought cannot be rewound."""
        if not self._ahead:
            return self._stream.read(size)
        head, self._ahead = self._ahead[:size], self._ahead[size:]
        return head

    def piece(self) -> bytes:
        """Take the next piece; nothing is left at the end."""
        piece = self._ahead or self._stream.read(PIECE)
        self._ahead = b""
        self.offset += len(piece)
        return piece

    def give_back(self, rest: bytes) -> None:
        """Give back the last bytes of the piece that was taken last."""
        self._ahead = rest
        self.offset -= len(rest)

    def look_ahead(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end, without taking them."""
        while len(self._ahead) < size and (more := self._stream.read(PIECE)):
            self._ahead += more
        return self._ahead[:size]

    def skip_zeros(self) -> int:
        """Take all zeros up to the next other byte, and return how many there were."""
        begin = self.offset
        while piece := self.piece():
            if rest := piece.lstrip(b"\0"):
                self.give_back(rest)
                break
        return self.offset - begin


def decompressed(stream: Readable, name: str) -> Readable:
    """Return a stream, or what it holds if its first bytes say that it is compressed.

    Parameters
    ----------
    name : what messages call the file.

    Raises
    ------
    UnreadableFileError : there is no module that decodes it; or when it is read.
    """
    head = stream.read(LONGEST_START)
    compression = compression_of(head)
    ahead = Ahead(head, stream)
    return ahead if compression is None else Decompressed(compression, ahead, name)
