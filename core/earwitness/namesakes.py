"""What a forgotten story leaves in containers beyond sessions is kept apart from a later story of the same id.

Ids and `sessionId` of these memories are those of their story. A later story with the same id and keys would replace
them one by one, and take them for its own past. So they get ids of their own, and a `sessionId` that no story has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .carried_hubs import is_hub_memory
from .decided_memories import decided_memories
from .engine import Engine
from .ids import derive
from .protocols import Ledger
from .records.memory import Memory
from .records.plan import Delivery
from .records.snapshot import Snapshot
from .refusals import put_taken

SESSION = "sessionId"
AT_ONCE = 256


async def names_once_forgotten(ledger: Ledger, snapshot: Snapshot) -> tuple[str, ...]:
    """What `sessionId` says of this story, and of those that it is a branch of, if they were forgotten before."""
    if (first := await ledger.entry(snapshot.id, sequence=1)) is None:
        return ()
    ids = dict.fromkeys(each for each in (snapshot.id, snapshot.parent, snapshot.origin) if each)
    return tuple([_name(each, first.timestamp) for each in ids])


def _name(session: str, begun: str) -> str:
    """The id, and when the story began (ISO 8601). A branch has the beginning of its parent."""
    return f"{session}@{begun}"


async def keep_apart(engine: Engine, session: str) -> None:
    """Rename what a story that is being forgotten leaves beyond sessions. It may be repeated. Raises `StorageError`."""
    first = await engine.ledger.entry(session, sequence=1)
    left = await _left_by(engine, session) if first else []
    for begin in range(0, len(left), AT_ONCE):
        batch = left[begin : begin + AT_ONCE]
        name = _name(session, first.timestamp if first else "")
        await put_taken(
            lambda memories: engine.written(engine.store.put(memories)), [_of(each, name) for each in batch]
        )
        await engine.written(engine.store.remove(_by_container((each.container, each.id) for each in batch)))


def _of(memory: Memory, name: str) -> Memory:
    metadata = {**memory.metadata, SESSION: name}
    return memory.model_copy(update={"id": derive("forgotten", name, memory.id), "metadata": metadata})


async def _left_by(engine: Engine, session: str) -> list[Memory]:
    """What the store has of it, and what it has not been given yet. What it was given and has lost stays lost."""
    found = await engine.ledger.deliveries(session, derived=True)
    own = [each for each in found if each.beyond_session and each.metadata.get(SESSION) == session and each.is_active]
    own = [each for each in own if not is_hub_memory(each)]
    there = [memory for name, ids in _by_container(_places(own)).items() for memory in await _held(engine, name, ids)]
    held = {each.id for each in there}
    snapshot = await engine.ledger.load(session)
    day = snapshot.state.game_day if snapshot else 0
    late = [each for each in own if each.status == "pending" and each.due <= day and each.memory_id not in held]
    return [*there, *await decided_memories(engine.ledger, session, late)]


async def _held(engine: Engine, container: str, ids: Sequence[str]) -> list[Memory]:
    batches = [ids[begin : begin + AT_ONCE] for begin in range(0, len(ids), AT_ONCE)]
    return [each for batch in batches for each in await engine.written(engine.store.get(container, batch))]


def _places(deliveries: Iterable[Delivery]) -> Iterable[tuple[str, str]]:
    return dict.fromkeys((each.container, each.memory_id) for each in deliveries)


def _by_container(places: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for container, id in places:
        found.setdefault(container, []).append(id)
    return found
