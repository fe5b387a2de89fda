"""What was there before the story, as it stands."""

from __future__ import annotations

from ..engine import Engine
from ..records.character import Cast
from ..records.journal import Piece, Prepared, Retracted
from .records import Before, Preparation


async def before(engine: Engine, session: str, cast: Cast) -> Before:
    """Every preparation, without what was replaced or retracted since, and without what is of nobody now."""
    entries = await engine.ledger.entries(session)
    retracted = {entry.body.target for entry in entries if isinstance(entry.body, Retracted)}
    prepared = [
        (each.key, each.body) for each in entries if isinstance(each.body, Prepared) and each.key not in retracted
    ]
    last = {name: key for key, body in prepared for name in _names(body)}
    told = [_standing(key, body, last, cast) for key, body in prepared]
    return Before(preparations=tuple(each for each in told if each.pieces or each.originals))


def _names(body: Prepared) -> list[str]:
    """What its pieces and originals are versions of."""
    return [*(each.version_of for each in body.pieces), *(each.version_of for each in body.originals)]


def _standing(key: str, body: Prepared, last: dict[str, str], cast: Cast) -> Preparation:
    """What of a preparation is the last version, and somebody's."""
    pieces = [each for each in body.pieces if last[each.version_of] == key and _of_somebody(each, cast)]
    originals = [each for each in body.originals if last[each.version_of] == key]
    return Preparation(
        key=key,
        pieces=tuple(pieces),
        originals=tuple(each for each in originals if each.owner is None or each.owner in cast),
    )


def _of_somebody(piece: Piece, cast: Cast) -> bool:
    return not piece.owners or any(owner in cast for owner in piece.owners)
