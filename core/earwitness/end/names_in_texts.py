"""Names that macros stand for in what was prepared and said: noted when told, written anew when the cast changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..containers import character_container, world_container
from ..engine import MACROS, Engine
from ..ids import MemoryIds
from ..live import Live
from ..macros import has_macro, in_message, in_piece, piece_has_macro, renames
from ..protocols import Ledger
from ..records.character import Cast
from ..records.disguise import in_disguise
from ..records.journal import Entry, Piece, Prepared, Revised, Said
from ..records.message import SettledMessage
from ..records.plan import Delivery, Plan, PluginWrite, Withdrawal, grouped
from .pieces import PieceOrigin, of_piece, piece_text
from .withdrawals import of_source

PIECE = "#piece-"
"""The sources of prepared pieces begin with this; no key of a message does."""


def noted(live: Live, plan: Plan, key: str, content: str) -> Plan:
    """The plan of a message, with a note of the entry that holds its macros."""
    return _with_notes(live, plan, {key: has_macro(content)})


def noted_pieces(live: Live, plan: Plan, pieces: Sequence[Piece]) -> Plan:
    """The plan of a preparation, with a note for each piece of the entry that holds its macros."""
    return _with_notes(live, plan, {each.version_of: piece_has_macro(each) for each in pieces})


def _with_notes(live: Live, plan: Plan, macros: Mapping[str, bool]) -> Plan:
    known = live.stored.get(MACROS, {})
    notes = [
        PluginWrite(plugin=MACROS, key=key, value=plan.sequence if has else None)
        for key, has in macros.items()
        if has or key in known
    ]
    return plan.model_copy(update={"plugin_data": (*plan.plugin_data, *notes)}) if notes else plan


def has_names(live: Live, source: str) -> bool:
    """Whether a source has macros in it, so that it is `written_anew` for newcomers rather than copied."""
    return source in live.stored.get(MACROS, {})


async def written_anew(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of a change of the cast, with what that changes in texts with macros.

    Pieces are delivered with the new names, and to newcomers; messages are revised in entries of their own.
    """
    if plan.cast is None or not (known := live.stored.get(MACROS, {})):
        return plan
    before, cast = live.snapshot.cast, plan.cast
    same_names, newcomers = not renames(before, cast), [id for id in cast.ids if id not in before]
    if same_names and not newcomers:
        return plan
    entries = await _entries(engine.ledger, live.snapshot.id, known)
    pieces = _prepared(entries, [key for key in known if key.startswith(PIECE)])
    deliveries, withdrawals = await _pieces(engine.ledger, live, entry, plan, pieces, newcomers)
    said = {} if same_names else {key: entries[_number(at)] for key, at in known.items() if not key.startswith(PIECE)}
    return plan.model_copy(
        update={
            "deliveries": (*plan.deliveries, *deliveries),
            "withdrawals": (*plan.withdrawals, *withdrawals),
            "revisions": await _revisions(engine.ledger, live, cast, said),
        }
    )


async def _entries(ledger: Ledger, session: str, known: Mapping[str, object]) -> dict[int, Entry]:
    """Sequence number → each entry that holds macros."""
    found = [await ledger.entry(session, sequence=number) for number in sorted({*map(_number, known.values())})]
    return {entry.sequence: entry for entry in found if entry is not None}


def _number(noted: object) -> int:
    return int(str(noted))


def _prepared(entries: Mapping[int, Entry], sources: Sequence[str]) -> dict[str, Piece]:
    """Source → its piece in the latest of these entries."""
    pieces = (piece for entry in entries.values() if isinstance(entry.body, Prepared) for piece in entry.body.pieces)
    found = {piece.version_of: piece for piece in pieces}
    return {source: found[source] for source in sources if source in found}


# ── prepared pieces ─────────────────────────────────────────────────────────────────────────────────────────────────


async def _pieces(
    ledger: Ledger, live: Live, entry: Entry, plan: Plan, pieces: Mapping[str, Piece], newcomers: Sequence[str]
) -> tuple[list[Delivery], list[Withdrawal]]:
    """Deliveries with the new names, and withdrawals of those with the old."""
    session, cast = live.snapshot.id, plan.cast or live.snapshot.cast
    day = live.snapshot.after(plan).state.game_day
    found = await ledger.deliveries(session, sources=list(pieces))
    deliveries: list[Delivery] = []
    withdrawals: list[Withdrawal] = []
    for group in grouped((each for each in found if each.is_kept), lambda each: each.source):
        source, piece = group[0].source, pieces[group[0].source]
        if not any(each.is_active for each in group):
            continue
        staying = [each for each in group if each.owner in cast or each.container == world_container(session).name]
        renamed = [_renamed(each, piece, cast, entry, live.snapshot.ids) for each in staying]
        anew = any(new.body != old.body for new, old in zip(renamed, staying, strict=True))
        if anew:
            deliveries += renamed
            withdrawals.append(await of_source(ledger, session, source, "replaced"))
        if piece.owners is None:
            origin = PieceOrigin(source, entry.sequence if anew else group[-1].revision, entry, day, live.snapshot.ids)
            deliveries += [
                of_piece(in_piece(piece, id, cast), origin, character_container(session, id)) for id in newcomers
            ]
    return deliveries, withdrawals


def _renamed(old: Delivery, piece: Piece, cast: Cast, entry: Entry, ids: MemoryIds) -> Delivery:
    """The same delivery with the names of this cast, as a later version."""
    named = in_piece(piece, old.owner, cast)
    return old.model_copy(
        update={
            "sequence": entry.sequence,
            "revision": entry.sequence,
            "memory_id": ids.of(old.source, entry.sequence, old.container, old.part),
            "body": piece_text(named),
            "metadata": {**old.metadata, **({"words": list(named.words)} if named.words else {})},
            "status": "pending" if old.is_active else old.status,
        }
    )


# ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _revisions(ledger: Ledger, live: Live, cast: Cast, entries: Mapping[str, Entry]) -> tuple[Revised, ...]:
    """Revisions of the messages in which this cast's names are others, in the order of the story."""
    found = await ledger.messages(live.snapshot.id, keys=list(entries)) if entries else ()
    by_key = {each.message.key: each for each in found if not each.retracted and each.message.speaker in cast}
    raw = {key: entries[key].body for key in by_key}
    return tuple(
        Revised(target=key, content=body.content)
        for key, body in raw.items()
        if isinstance(body, Said | Revised)
        and _with_names(body.content, by_key[key], cast) != by_key[key].message.content
    )


def _with_names(content: str, settled: SettledMessage, cast: Cast) -> str:
    """The text with the names by which those who are meant were known: in disguise, that of the disguise."""
    return in_message(content, settled.message.speaker, in_disguise(cast, settled.disguises))
