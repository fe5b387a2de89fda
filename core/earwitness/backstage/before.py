"""The knowledge from before the story, in its current version."""

from __future__ import annotations

from ..engine import Engine
from ..records.character import Cast
from ..records.journal import Piece, Prepared, Retracted
from .records import Before, Preparation


async def before(engine: Engine, session: str, cast: Cast) -> Before:
    """All preparations, without what was replaced or retracted since, or belongs only to characters who are gone."""
    entries = await engine.ledger.entries(session)
    retracted = {entry.body.target for entry in entries if isinstance(entry.body, Retracted)}
    prepared = [
        (each.key, each.body) for each in entries if isinstance(each.body, Prepared) and each.key not in retracted
    ]
    last = {name: key for key, body in prepared for name in _names(body)}
    versions = [_standing(key, body, last, cast) for key, body in prepared]
    return Before(preparations=tuple(each for each in versions if each.pieces or each.originals))


def _names(body: Prepared) -> list[str]:
    """The names under which later versions replace its pieces and originals."""
    return [*(each.version_of for each in body.pieces), *(each.version_of for each in body.originals)]


def _standing(key: str, body: Prepared, last: dict[str, str], cast: Cast) -> Preparation:
    """The part of a preparation that is the latest version and belongs to the cast or to all."""
    pieces = [each for each in body.pieces if last[each.version_of] == key and _of_somebody(each, cast)]
    originals = [each for each in body.originals if last[each.version_of] == key]
    return Preparation(
        key=key,
        pieces=tuple(pieces),
        originals=tuple(each for each in originals if each.owner is None or each.owner in cast),
    )


def _of_somebody(piece: Piece, cast: Cast) -> bool:
    return not piece.owners or any(owner in cast for owner in piece.owners)
