"""Made-up cards and lorebooks, and the pictures and archives that cards come in."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

V1: Json = {
    "name": "Mira Vale",
    "description": "{{char}} keeps the lighthouse.",
    "personality": "Dry.",
    "scenario": "{{char}} waits for {{user}} in the fog.",
    "first_mes": "You are late, {{user}}.",
    "mes_example": "<START>\n{{user}}: Who are you?\n{{char}}: The light.\n<START>\n{{char}}: Mind the stairs.",
}
ENTRY: Json = {
    "keys": ["lamp", "light"],
    "content": "The lamp burns whale oil.",
    "extensions": {},
    "enabled": True,
    "insertion_order": 100,
    "id": 7,
}
V2: Json = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        **V1,
        "creator_notes": "For tests.",
        "system_prompt": "Obey.",
        "post_history_instructions": "",
        "alternate_greetings": ["Mind the gulls."],
        "tags": ["sea", "night"],
        "creator": "nobody",
        "character_version": "1",
        "extensions": {"depth_prompt": {"depth": 4}, "unknown/thing": [1, 2.50, None]},
        "character_book": {"name": "Lights", "extensions": {}, "entries": [ENTRY]},
    },
}
V3: Json = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        **V2["data"],
        "nickname": "Mi",
        "group_only_greetings": ["Good evening, all."],
        "assets": [],
        "source": [],
    },
}
WORLD: Json = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["harbour"],
            "keysecondary": ["boats"],
            "comment": "Harbour",
            "content": "It is frozen.",
            "constant": False,
            "selective": True,
            "selectiveLogic": 0,
            "order": 100,
            "position": 4,
            "disable": False,
            "characterFilter": {"isExclude": False, "names": ["Mira Vale"], "tags": []},
            "unheardOf": {"x": 1},
        },
        "1": {"uid": 1, "key": [], "comment": "", "content": "Night lasts a month.", "constant": True},
    }
}


def text(value: object) -> bytes:
    """JSON as some front end writes it: with its own idea of blanks."""
    return json.dumps(value, ensure_ascii=False, indent=1, separators=(" ,", ": ")).encode()


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*texts: bytes) -> bytes:
    """A picture of one pixel, with text chunks before its pixels."""
    begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return begin + b"".join(texts) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def text_chunk(value: object, keyword: bytes = b"chara", kind: bytes = b"tEXt") -> bytes:
    """A card in a text chunk of one of the three kinds, in any letter case."""
    data = base64.b64encode(value if isinstance(value, bytes) else text(value))
    packed = zlib.compress(data)
    body = {b"text": data, b"ztxt": b"\0" + packed, b"itxt": b"\1\0en\0title\0" + packed}[kind.lower()]
    return chunk(kind, keyword + b"\0" + body)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return archive.getvalue()


def webp(card: object) -> bytes:
    """A picture with a card in its EXIF data."""
    exif = b"Exif\0\0MM\0*\0\0\0\x08ASCII\0\0\0" + text(card)
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 3) + b"\0\0\0\0" + b"EXIF" + struct.pack("<I", len(exif)) + exif
    return b"RIFF" + struct.pack("<I", len(body)) + body


def file(folder: Path, name: str, data: bytes | str | Iterable[object] | Json) -> str:
    """A file with bytes, text, JSON, or JSON a line."""
    path = folder / name
    match data:
        case bytes():
            path.write_bytes(data)
        case str():
            path.write_text(data, "utf-8")
        case dict():
            path.write_bytes(text(data))
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in data), "utf-8")
    return str(path)
