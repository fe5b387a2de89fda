"""Preparations: from a journal entry to its plan, and whether the story has it already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..containers import character_container, world_container
from ..engine import Engine
from ..live import Live
from ..macros import in_piece
from ..protocols import Ledger
from ..records.character import Cast
from ..records.journal import Entry, Piece, Prepared
from ..records.plan import Delivery, Plan, grouped
from .change import guarded_now
from .names_in_texts import noted_pieces
from .pieces import PieceOrigin, of_piece
from .withdrawals import of_source


async def prepared(engine: Engine, live: Live, entry: Entry, body: Prepared) -> Plan:
    """The plan of a preparation: one permanent memory for each piece and owner, and the world's copies."""
    session, ledger = live.snapshot.id, engine.ledger
    known = await _by_source(ledger, session, body.pieces)
    keyed = await _by_lore_key(ledger, session, body.pieces, entry)
    deliveries: list[Delivery] = []
    older: list[str] = []
    for piece in body.pieces:
        before, new = known.get(piece.version_of, ()), _copies(live, entry, piece, known)
        if not _stands(before, new):
            older += [*([piece.version_of] if before else []), *_replaced(piece, keyed)]
            deliveries += new
    plan = Plan(
        session=session,
        sequence=entry.sequence,
        key=entry.key,
        deliveries=tuple(deliveries),
        withdrawals=tuple([await of_source(ledger, session, each, "replaced") for each in dict.fromkeys(older)]),
    )
    return noted_pieces(live, await guarded_now(engine, live, plan), body.pieces)


async def earlier_preparation(ledger: Ledger, live: Live, body: Prepared) -> Entry | None:
    """The last preparation that brought any of these pieces, if all of them stand as they are given here.

    `None` if it has files: what is kept of them is not a memory.
    """
    known = {} if body.originals else await _by_source(ledger, live.snapshot.id, body.pieces)
    last = await _last_preparation(ledger, live.snapshot.id, known)
    pieces = ((known.get(each.version_of, ()), each) for each in body.pieces)
    if last is None or not all(_stands(before, _copies(live, last, piece, known)) for before, piece in pieces):
        return None
    return last


async def _last_preparation(ledger: Ledger, session: str, known: Mapping[str, Sequence[Delivery]]) -> Entry | None:
    """The last one that delivered any of this; newcomers may have got copies since."""
    for sequence in sorted({each.sequence for copies in known.values() for each in copies}, reverse=True):
        entry = await ledger.entry(session, sequence=sequence)
        if entry is not None and isinstance(entry.body, Prepared):
            return entry
    return None


def _copies(live: Live, entry: Entry, piece: Piece, known: Mapping[str, Sequence[Delivery]]) -> list[Delivery]:
    """The world's copy of a piece, and one for each of its owners."""
    session, cast, source = live.snapshot.id, live.snapshot.cast, piece.version_of
    origin = PieceOrigin(
        source, entry.sequence if known.get(source) else 0, entry, live.snapshot.state.game_day, live.snapshot.ids
    )
    containers = [world_container(session), *(character_container(session, id) for id in _owners(piece, cast))]
    return [of_piece(in_piece(piece, each.owner, cast), origin, each) for each in containers]


def _owners(piece: Piece, cast: Cast) -> Sequence[str]:
    return cast.ids if piece.owners is None else piece.owners


def _stands(before: Sequence[Delivery], new: Sequence[Delivery]) -> bool:
    """Whether those who are to have a piece have it, in these words, and nobody else does."""
    return {(each.container, each.body) for each in before if each.is_active} == {
        (each.container, each.body) for each in new
    }


async def _by_source(ledger: Ledger, session: str, pieces: Sequence[Piece]) -> Mapping[str, list[Delivery]]:
    """Source → what was ever delivered of it, for the sources of these pieces."""
    found = await ledger.deliveries(session, sources=[piece.version_of for piece in pieces])
    return {group[0].source: group for group in grouped(found, lambda each: each.source)}


async def _by_lore_key(
    ledger: Ledger, session: str, pieces: Sequence[Piece], entry: Entry
) -> Mapping[tuple[str, str], list[Delivery]]:
    """Type and lore key → the world's active copies from earlier entries, for the types of keyed pieces."""
    types = sorted({piece.type for piece in pieces if piece.lore_key is not None})
    if not types:
        return {}
    kept = await ledger.deliveries(session, container=world_container(session).name, types=types)
    index: dict[tuple[str, str], list[Delivery]] = {}
    for each in kept:
        if each.is_active and each.sequence < entry.sequence and isinstance(key := each.metadata.get("loreKey"), str):
            index.setdefault((each.part, key), []).append(each)
    return index


def _replaced(piece: Piece, keyed: Mapping[tuple[str, str], Sequence[Delivery]]) -> list[str]:
    """Sources of earlier versions of a keyed piece that some of its owners had, and others as well."""
    if piece.lore_key is None:
        return []
    same = keyed.get((piece.type, piece.lore_key), ())
    return sorted({each.source for each in same if each.source != piece.version_of and _overlaps(each, piece)})


def _overlaps(delivery: Delivery, piece: Piece) -> bool:
    owners = delivery.metadata.get("audience")
    return piece.owners is None or not isinstance(owners, list) or bool(set(owners) & set(piece.owners))
