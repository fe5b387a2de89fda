"""What the folder of a container is called: on every file system, two containers have two folders."""

from __future__ import annotations

import re
from hashlib import blake2b

from earwitness.containers import encode
from earwitness.errors import StorageError, quoted

LONGEST = 200
"""Characters of a folder's name; file systems take 255 bytes."""
_BEGINNING = 60
_ESCAPED_OR_CAPITAL = re.compile("_[0-9A-F]{2}|[A-Z]")
"""The digits of escapes are capitals too: they are taken together, and stay."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])")
"""Windows takes no file of such a name."""


def folder_name(container: str) -> str:
    """The name of a container's folder, in lower case, digits, `-` and `_`. Raises `StorageError` for invalid text.

    Everything else, capitals included, is `_` and two hexadecimal digits for each byte of UTF-8. What would be too long
    ends with `__` and a digest; the file in it holds the full name.
    """
    encoded = _encoded(container)
    if len(encoded) <= LONGEST:
        return encoded
    digest = blake2b(container.encode(), digest_size=16).hexdigest()
    return f"{encoded[:_BEGINNING].rstrip('_')}__{digest}"


def _encoded(container: str) -> str:
    if not container:
        raise StorageError("a container without a name cannot be kept.")
    try:
        encoded = _ESCAPED_OR_CAPITAL.sub(_escaped, encode(container))
    except UnicodeEncodeError:
        raise StorageError(f"container name {quoted(container)} is not valid Unicode and cannot be kept.") from None
    if encoded[0] == "-" or _RESERVED.fullmatch(encoded):
        return f"_{ord(encoded[0]):02X}{encoded[1:]}"
    return encoded


def _escaped(found: re.Match[str]) -> str:
    return found[0] if len(found[0]) > 1 else f"_{ord(found[0]):02X}"
