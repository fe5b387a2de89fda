"""What was there before the story, as it was last given."""

from __future__ import annotations

from ..end.change import piece_source
from ..engine import Engine
from ..records.character import Cast
from ..records.journal import Original, Piece, Prepared, Retracted
from .records import Before


async def before(engine: Engine, session: str, cast: Cast) -> Before:
    """Every piece and every file, without what was replaced or retracted since, and without what is of nobody now."""
    pieces: dict[str, tuple[Piece, bool]] = {}
    originals: dict[tuple[str, str], Original] = {}
    entries = await engine.ledger.entries(session)
    retracted = {entry.body.target for entry in entries if isinstance(entry.body, Retracted)}
    for entry in entries:
        if isinstance(entry.body, Prepared) and entry.key not in retracted:
            pieces |= {piece_source(each): (each, not entry.body.originals) for each in entry.body.pieces}
            originals |= {(each.format, each.owner or each.name): each for each in entry.body.originals}
    standing = [(piece, by_hand) for piece, by_hand in pieces.values() if _of_somebody(piece, cast)]
    return Before(
        pieces=tuple(piece for piece, _ in standing),
        by_hand=tuple(piece for piece, by_hand in standing if by_hand),
        originals=tuple(each for each in originals.values() if each.owner is None or each.owner in cast),
    )


def _of_somebody(piece: Piece, cast: Cast) -> bool:
    return not piece.owners or any(owner in cast for owner in piece.owners)
