"""The static table: a spelling, a vector and a weight for every token. Made by `scripts/build_static_table.py`."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earwitness.errors import SettingsError
from earwitness_plugins.ranking import Floats

FORMAT = "earwitness static table 1"
"""Names the members below and the tokenising that goes with them: a change of either makes other vectors."""

SHIPPED = Path(__file__).parent / "data" / "static_table.npz"

_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, OSError, TypeError, ValueError)
"""What numpy and zipfile raise for a file that is cut off, altered, or something else altogether."""


@dataclass(frozen=True, eq=False)
class StaticTable:
    """What the table file holds. n tokens; row i belongs to `vocabulary[i]` and stands for `rows[i] * scales[i]`."""

    vocabulary: list[str]
    """The tokens in the order of their ids."""
    rows: NDArray[np.int8]
    """Shape (n, 256)."""
    scales: Floats
    """Shape (n,)."""
    weights: Floats
    """SIF: what a token counts for in a sentence, above 0 and below 1; shape (n,)."""
    centre: Floats
    """The mean row; shape (256,)."""
    centred_norms: Floats
    """Length of each row after the mean row is taken off; shape (n,)."""


def read_table(path: Path) -> StaticTable:
    """Read a table file. Raises `SettingsError` when it is missing, damaged or of another format."""
    content = io.BytesIO(read_bytes(path))
    try:
        with np.load(content, allow_pickle=False) as members:
            return _table(members)
    except _DAMAGES as problem:
        raise _unusable(path, str(problem)) from problem


def read_digest(path: Path) -> str:
    """16 hexadecimal digits of the sha256 over the names, sizes and checksums of the members.

    The file's directory has them, so a story need not wait until all of it was read. Raises `SettingsError` as
    `read_table` does.
    """
    try:
        with zipfile.ZipFile(path) as members:
            about = [(member.filename, member.file_size, member.CRC) for member in members.infolist()]
    except _DAMAGES as problem:
        raise _unusable(path, str(problem)) from problem
    return hashlib.sha256(repr(sorted(about)).encode()).hexdigest()[:16]


def read_bytes(path: Path) -> bytes:
    """The file's content. Raises `SettingsError` when it is missing."""
    try:
        return path.read_bytes()
    except OSError as problem:
        raise _unusable(path, str(problem)) from problem


def _table(members: Any) -> StaticTable:
    found = _text(members["format"])
    if found != FORMAT:
        raise ValueError(f"its format is {found!r}, this version reads {FORMAT!r}")
    return StaticTable(
        vocabulary=_text(members["vocabulary"]).split("\n"),
        rows=members["rows"],
        scales=members["scales"],
        weights=members["weights"],
        centre=members["centre"],
        centred_norms=members["centred_norms"],
    )


def _text(characters: NDArray[np.uint8]) -> str:
    return characters.tobytes().decode()


def _unusable(path: Path, why: str) -> SettingsError:
    return SettingsError(
        f"The static embedder cannot use the table {str(path)!r}: {why}. "
        "Reinstall earwitness, or rebuild the table with scripts/build_static_table.py."
    )
