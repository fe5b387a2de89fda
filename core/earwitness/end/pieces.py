"""Prepared pieces, such as lore and character cards, as deliveries. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ..containers import Container
from ..formats import harmless, strip_block
from ..ids import MemoryIds
from ..records.journal import Entry, Piece
from ..records.memory import Support
from ..records.memory_types import MetaValue
from ..records.plan import Delivery


@dataclass(frozen=True, slots=True)
class PieceOrigin:
    """The version of a piece, and the entry that brought it."""

    source: str
    revision: int
    entry: Entry
    day: float
    ids: MemoryIds


def of_piece(piece: Piece, origin: PieceOrigin, container: Container) -> Delivery:
    """One prepared piece, for one container."""
    entry, session = origin.entry, origin.entry.session
    return Delivery(
        session=session,
        sequence=entry.sequence,
        container=container.name,
        owner=container.owner,
        source=origin.source,
        revision=origin.revision,
        part=piece.type,
        memory_id=origin.ids.of(origin.source, origin.revision, container.name, piece.type),
        body=piece_text(piece),
        metadata=_piece_metadata(piece, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


def piece_text(piece: Piece) -> str:
    """A prepared piece as a memory holds it: the words that find it, and its text."""
    words = f"[{', '.join(piece.words)}]\n" if piece.words else ""
    return harmless(words + strip_block(piece.text))


def _piece_metadata(piece: Piece, origin: PieceOrigin) -> dict[str, MetaValue]:
    metadata: dict[str, MetaValue] = {
        "type": piece.type,
        "permanent": True,
        "gameDay": origin.day,
        "timestamp": origin.entry.timestamp,
    }
    if piece.lore_key:
        metadata["loreKey"] = piece.lore_key
    if piece.words:
        metadata["words"] = list(piece.words)
    return metadata | ({"public": True} if piece.owners is None else {"audience": list(piece.owners)})
