"""JSON in the EXIF chunk of a WebP picture (RFC 9649, section 2.7.1.5), where some old cards have it."""

from __future__ import annotations

from typing import BinaryIO

from .limits import MAX_TEXT, refuse_larger


def is_webp(head: bytes) -> bool:
    """Whether a file begins like a WebP picture."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def exif_json(file: BinaryIO, place: str) -> bytes | None:
    """The EXIF chunk from its first to its last brace, or `None` when there is none."""
    file.seek(12)
    while len(header := file.read(8)) == 8:
        size = int.from_bytes(header[4:], "little")
        if header[:4] != b"EXIF":
            file.seek(size + size % 2, 1)  # chunks begin at even offsets
            continue
        refuse_larger(f"{place}: its EXIF data", size, MAX_TEXT)
        data = file.read(size)
        begin, end = data.find(b"{"), data.rfind(b"}")
        return data[begin : end + 1] if 0 <= begin < end else None
    return None
