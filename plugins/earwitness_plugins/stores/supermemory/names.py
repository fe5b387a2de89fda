"""Names as the service takes them. What its alphabets cannot hold goes under a digest; nothing is cut or escaped.

Namespaces and ids stand unescaped in the paths of requests, so nothing but these ever reaches the client. Each document
says in its metadata whose it is, in full: that is the way back, and it is checked on everything that is read.
"""

from __future__ import annotations

import hashlib
import json
import re

_NAMESPACE = re.compile(r"[a-zA-Z0-9_:-]{1,100}\Z")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_DIGEST_OF_CONTAINER, _DIGEST_OF_ID = "ew:", "ew-"
"""Names that begin so are digests; one that began so by itself goes under a digest, too."""
_UNSAFE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_ENCODED = "json:"


def namespace_of(container: str) -> str:
    """The namespace of a container: its own name, or a digest of it."""
    if _NAMESPACE.match(container) and not container.startswith(_DIGEST_OF_CONTAINER):
        return container
    return _DIGEST_OF_CONTAINER + digest(container)


def document_id(id: str, part: int = 0) -> str:
    """The id of the document that holds a memory, or a later part of a long one."""
    if not part and _ID.match(id) and not id.startswith(_DIGEST_OF_ID):
        return id
    return _DIGEST_OF_ID + digest([id, part])[:60]


def digest(value: object) -> str:
    """SHA-256 of a value as JSON, which tells 3 from 3.0 and from `"3"`; 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def is_clean(text: str) -> bool:
    """Whether text can stand in metadata as it is: without control characters and halves of characters."""
    return not _UNSAFE.search(text) and not text.startswith(_ENCODED)


def cleaned(text: str) -> str:
    """Text that can stand in metadata, from which `restored` makes the same text again."""
    return text if is_clean(text) else encoded(text)


def encoded(text: str) -> str:
    """Text as one line that survives whatever a service does to white space."""
    ascii_only = bool(_UNSAFE.search(text))
    return _ENCODED + json.dumps(text, ensure_ascii=ascii_only)


def restored(text: str) -> str:
    """Undo `cleaned` and `encoded`. Raises `ValueError` for what neither has made."""
    if not text.startswith(_ENCODED):
        return text
    found = json.loads(text.removeprefix(_ENCODED))
    if not isinstance(found, str):
        raise ValueError(f"{text[:80]!r} is no encoded text")  # noqa: TRY004 - what is broken is the text
    return found
