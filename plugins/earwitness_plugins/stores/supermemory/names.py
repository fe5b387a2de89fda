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
_OF_PLACE, _OF_TEXT = 28, 31
"""Hexadecimal digits in the id of a document: which part of which memory it holds, and what the memory says."""
_UNSAFE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_ENCODED = "json:"
_as_json = json.JSONEncoder(sort_keys=True).encode


def namespace_of(container: str) -> str:
    """The namespace of a container: its own name, or a digest of it."""
    if _NAMESPACE.match(container) and not container.startswith(_DIGEST_OF_CONTAINER):
        return container
    return _DIGEST_OF_CONTAINER + digest(container)


def document_id(id: str, part: int, says: str) -> str:
    """The id of the document that holds a part of a memory; `says` is the digest of the memory's content and metadata.

    The service appends to a document that is there. Since another text has another id, no two texts are ever joined.
    """
    return f"{_of_place(id, part)}{says[:_OF_TEXT]}"


def is_document_of(document: str, id: str, part: int) -> bool:
    """Whether this may be the id of a document that holds this part of a memory."""
    return document.startswith(_of_place(id, part)) or document == _older_id(id, part)


def _of_place(id: str, part: int) -> str:
    return f"{_DIGEST_OF_ID}{digest([id, part])[:_OF_PLACE]}-"


def _older_id(id: str, part: int) -> str:
    """The id of a document that an earlier version has written: the same, whatever the memory says."""
    if not part and _ID.match(id) and not id.startswith(_DIGEST_OF_ID):
        return id
    return _DIGEST_OF_ID + digest([id, part])[:60]


def digest(value: object) -> str:
    """SHA-256 of a value as JSON, which tells 3 from 3.0 and from `"3"`; 64 hexadecimal digits."""
    return hashlib.sha256(_as_json(value).encode()).hexdigest()


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
        raise ValueError(f"{text[:80]!r} is not encoded text")  # noqa: TRY004 - what is broken is the text
    return found
