"""START: everything in a character's own container that may be recalled now, without a search."""

from __future__ import annotations

from ..engine import Engine
from ..live import Live
from ..records.channel import Channel
from .reads import own_read
from .recalled import Recall, Recalled
from .requests import Reader
from .source import RecallSource


async def own_memories(engine: Engine, live: Live, character: str, channel: Channel) -> Recall:
    """The memories of the character's own container after the guards, in the order learned. A failing guard withholds
    all of them. Raises `StorageError`, and `StrategyError` if `strict`."""
    reader = Reader(live.snapshot, character, channel)
    read, failures = await own_read(engine, reader, 1, dict(live.data()))
    source = RecallSource(engine, live, engine.settings.recall.timeout, read.container)
    found = [each for each in await source.list(read.container, filter=read.permitted) if read.allows(each)]
    found.sort(key=lambda each: (each.learned_day is not None, each.learned_day or 0.0))
    marked = [each for each in found if read.why_unsayable(each) is not None]
    return Recall(
        character=character,
        query="",
        memories=tuple(
            [Recalled(memory=each, score=1.0, parts={}, unsayable=read.why_unsayable(each)) for each in found]
        ),
        notes=tuple(dict.fromkeys(read.notes(marked))),
        failures=(*failures, *([source.failure] if source.failure else [])),
    )
