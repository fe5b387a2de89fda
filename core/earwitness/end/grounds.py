"""Grounds: the container of a derived memory, and the memories it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..containers import Container, character_container, world_container
from ..ids import WORLD
from ..protocols import Ledger
from ..records.channel import shared_channel
from ..records.character import Cast
from ..records.derived import Derivation
from ..records.memory_types import MetaValue
from ..records.plan import Delivery, grouped
from .knowers import Copies, Kept, copies_by_ground
from .withheld import is_withheld


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of a derived memory, as the ledger has them."""

    memory_ids: tuple[str, ...] = ()
    since: float = float("-inf")
    """The first game day on which all of them are known."""
    unknown: str | None = None
    """The first of them that this session does not have."""
    gone: str | None = None
    """The first of them that was retracted."""
    kept: Kept | None = None
    """From whom one of them is kept, if from anybody who must know it."""
    learned_in: Mapping[str, MetaValue] = field(default_factory=dict)
    """Where they count as learned together: metadata of the strictest of their contexts, with the ids they share."""
    tellers_memory: str | None = None
    """Id of the teller's own memory, if somebody tells it."""
    present: MetaValue | None = None
    """Ids of those who perceived what somebody tells."""
    days: tuple[float, ...] = (0.0,)
    """The game days that they are of."""
    trust: float = 1.0
    """How far the least believed of them is believed."""
    said: Mapping[str, MetaValue] = field(default_factory=dict)
    """Metadata of the message that they are, if they are one: who said it, and on which game day."""


async def container_of(ledger: Ledger, session: str, cast: Cast, derivation: Derivation) -> Container | None:
    """The container of a derived memory; `None` if this session may not write to any that fits."""
    if derivation.container is not None:
        found = next(iter(await ledger.claimed([derivation.container])), derivation.registers)
        is_other = derivation.registers not in {None, found}
        return None if found is None or is_other or found.session not in {None, session} else found
    if derivation.owner == WORLD:
        return world_container(session)
    owner = cast.resolve(str(derivation.owner))
    return character_container(session, owner.id) if owner else None


def nobodys(cast: Cast, derivation: Derivation) -> str:
    """Why a derived memory has no container, in one sentence."""
    if derivation.container is not None:
        why = "belongs to another owner" if derivation.registers else "is not registered, or belongs to another session"
        return f"its container {derivation.container!r} {why}"
    return f"its owner {derivation.owner!r} is not one of {', '.join((*cast.ids, WORLD))}"


async def grounds_of(
    ledger: Ledger,
    session: str,
    container: str,
    rests_on: Sequence[str],
    *,
    knowers: Sequence[str] = (),
    readers: Sequence[str] = (),
    planned: Sequence[Delivery] = (),
) -> Grounds:
    """The grounds by memory id or key. A key means the memories of it in this container, else in the world's.

    With `knowers`, the grounds are what each of these characters has of them. From `readers`, no guard may have kept
    any of them. `planned` are deliveries of these keys that are made along with it.
    """
    if not rests_on:
        return Grounds()
    by_id = _by(await ledger.deliveries(session, memory_ids=rests_on), "memory_id")
    keys = [each for each in rests_on if each not in by_id]
    by_key = _by([*await ledger.deliveries(session, sources=keys), *planned], "source") if keys else {}
    unknown = next((each for each in keys if each not in by_key), None)
    every = {each: by_id.get(each) or by_key.get(each, ()) for each in rests_on}
    found = {each: _kept(those, container, key=each in by_key) for each, those in every.items()}
    gone = next((each for each, kept in found.items() if not kept), None)
    if unknown is not None or not (knowers or readers):
        return _together(found.values(), unknown, gone)
    copies = await _copies(ledger, session, every, planned)
    kept = next((why for each in copies.values() if (why := each.missing(knowers) or each.struck(readers))), None)
    known = {each: [one for id in knowers for one in those.of(id)] for each, those in copies.items()}
    return _together((known if knowers else found).values(), unknown, gone, kept)


def _together(
    found: Iterable[Sequence[Delivery]], unknown: str | None, gone: str | None, kept: Kept | None = None
) -> Grounds:
    memories = grouped([each for those in found for each in those], lambda each: each.memory_id)
    since = max((min(each.due for each in group) for group in memories), default=float("-inf"))
    learned_in = shared_channel(group[0].metadata for group in memories)
    found_ids, said = tuple(group[0].memory_id for group in memories), _said([group[0] for group in memories])
    trust = min((max(each.support.trust for each in group) for group in memories), default=1.0)
    days = tuple(day for each in memories if isinstance(day := each[0].metadata.get("gameDay"), int | float))
    return Grounds(found_ids, since, unknown, gone, kept, learned_in, days=days or (0.0,), trust=trust, said=said)


async def _copies(
    ledger: Ledger, session: str, grounds: Mapping[str, Sequence[Delivery]], planned: Sequence[Delivery]
) -> Mapping[str, Copies]:
    """Ground → what anybody has of what it is about."""
    sources = list(dict.fromkeys(each.source for those in grounds.values() for each in those))
    return copies_by_ground(session, grounds, [*await ledger.deliveries(session, sources=sources), *planned])


def _said(grounds: Sequence[Delivery]) -> Mapping[str, MetaValue]:
    """Who said the one message that these are, and on which day; nothing if they are not one."""
    if len(grounds) != 1 or grounds[0].part != "message":
        return {}
    data = grounds[0].metadata
    return {name: data[name] for name in ("speaker", "gameDay") if name in data}


async def with_teller(ledger: Ledger, session: str, grounds: Grounds, derivation: Derivation) -> Grounds:
    """The grounds of what somebody tells, with the teller's own memory: it goes with that, and is not known before.

    Somebody who tells what others perceived, without a memory of it, is not a ground.
    """
    teller = derivation.shared_from
    if teller is None or derivation.how == "direct" or not derivation.rests_on:
        return grounds
    own = character_container(session, teller).name
    found = await ledger.deliveries(session, sources=derivation.rests_on, container=own)
    if not found:
        return grounds
    kept = [each for each in found if each.is_kept]
    if not kept:
        return replace(grounds, gone=grounds.gone or found[0].memory_id)
    since = max(grounds.since, min(each.due for each in kept))
    return replace(grounds, tellers_memory=kept[0].memory_id, since=since, present=kept[0].metadata.get("participants"))


async def memories_of(ledger: Ledger, session: str, names: Sequence[str]) -> dict[str, str | None]:
    """Memory ids and keys → the memory that stands for each; `None` if it is gone. Unknown names are left out.

    A key stands for its message as it now reads: the world's copy, if there is one.
    """
    by_id = _by(await ledger.deliveries(session, memory_ids=names), "memory_id")
    keys = [each for each in names if each not in by_id]
    found = {**by_id, **(_by(await ledger.deliveries(session, sources=keys), "source") if keys else {})}
    kept = {name: [each for each in deliveries if each.is_kept] for name, deliveries in found.items()}
    first = {name: min(ways, key=lambda way: way.owner != WORLD, default=None) for name, ways in kept.items()}
    return {name: None if way is None else way.memory_id for name, way in first.items()}


async def not_had(ledger: Ledger, session: str, character: str, names: Sequence[str]) -> Sequence[str]:
    """Those of these memory ids and keys of which a character has no memory."""
    by_id = _by(await ledger.deliveries(session, memory_ids=names), "memory_id") if names else {}
    keys = [each for each in names if each not in by_id]
    by_key = _by(await ledger.deliveries(session, sources=keys), "source") if keys else {}
    copies = await _copies(ledger, session, {each: by_id.get(each) or by_key.get(each, ()) for each in names}, ())
    return [each for each in names if not copies[each].of(character)]


def _by(deliveries: Iterable[Delivery], field: str) -> Mapping[str, Sequence[Delivery]]:
    return {getattr(group[0], field): group for group in grouped(deliveries, lambda each: str(getattr(each, field)))}


def _kept(deliveries: Iterable[Delivery], container: str, *, key: bool) -> Sequence[Delivery]:
    kept = [each for each in deliveries if each.is_kept]
    if not key:
        return kept
    owners = [each for each in deliveries if each.container == container]
    own = [each for each in owners if each.is_kept and not is_withheld(each)]
    if not own and any(each.status == "struck" or is_withheld(each) for each in owners):
        return ()  # a guard keeps the message from its owner, and so what rests on it
    world = [each for each in kept if each.owner == WORLD]
    return own or [each for each in world if each.part == "message"] or world
