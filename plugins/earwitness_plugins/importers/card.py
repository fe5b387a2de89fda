"""Character cards V1, V2 and V3: bare JSON, or in a PNG text chunk, a zip (CHARX, also after a JPEG) or a WebP."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import BinaryIO

from earwitness.errors import StoryError
from earwitness.imports import Imported

from .cards.character import imported, is_card
from .files import png
from .files.archive import unzipped
from .files.content_type import is_text, json_in
from .files.documents import Document, document
from .files.lenient import storable
from .files.limits import opened, read_bytes
from .files.webp import exif_json, is_webp

KEYWORDS = ("ccv3", "chara")
"""Newest first: a picture may hold a card in several versions."""
JPEG = b"\xff\xd8\xff"
CARD = "card.json"
ZIP = b"PK\x03\x04"


class CardImporter:
    """Reads one character from a card, and the card's lore."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the file is a picture or archive that may hold a card, or JSON that is one."""
        return head.startswith((png.SIGNATURE, JPEG, ZIP)) or is_webp(head) or is_card(json_in(path, head))

    def read(self, path: str) -> Imported:
        """The character. Raises `StoryError` for a file without a card, or with a card that cannot be read."""
        repairs: list[str] = []
        found = _document(path, repairs)
        card = imported(found.value, path, storable(Path(path).stem), repairs)
        return card.model_copy(update={"originals": (found.original(path, "card"),)})


def _document(path: str, repairs: list[str]) -> Document:
    with opened(path) as file:
        head = file.read(12)
        if is_text(head):
            return document(read_bytes(path), path, repairs)
        if head.startswith(png.SIGNATURE) and (found := _in_png(file, path, repairs)):
            return found
        packed = exif_json(file, path) if is_webp(head) else unzipped(file, path, CARD)
    if packed is None:
        raise StoryError(f"{path}: it has no character card that can be read{_reasons(path, repairs)}.")
    return document(packed, path, repairs)


def _in_png(file: BinaryIO, path: str, repairs: list[str]) -> Document | None:
    """The newest version of the card that can be read; `None` when there is no card."""
    chunks = [(each.keyword.casefold(), each.value) for each in png.texts(file, path, repairs)]
    cards = [(keyword, value) for wanted in KEYWORDS for keyword, value in chunks if keyword == wanted]
    if not cards:
        return None
    for keyword, value in cards[:-1]:
        try:
            return _unpacked(value, path, repairs)
        except StoryError as error:
            repairs.append(f"{path}: its {keyword} card cannot be read; the next version was ({error})")
    return _unpacked(cards[-1][1], path, repairs)


def _unpacked(value: bytes, path: str, repairs: list[str]) -> Document:
    """The JSON in a text chunk: as Base64 (RFC 4648), with or without padding, or plain."""
    bare = b"".join(value.split())
    if bare.startswith(b"{"):
        return document(value, path, repairs)
    letters = bare.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    try:
        data = base64.b64decode(letters + b"=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise StoryError(f"{path}: its card is neither Base64 nor JSON: {error}.") from error
    return document(data, path, repairs)


def _reasons(path: str, repairs: list[str]) -> str:
    return f": {'; '.join(each.replace(f'{path}: ', '') for each in repairs)}" if repairs else ""
