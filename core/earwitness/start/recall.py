"""START: what a character remembers now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..consultation import Answered
from ..containers import character_container_name
from ..engine import Engine
from ..errors import StrategyError
from ..events import RecallAnswer, RecallEvent
from ..filters import Filter, In, Or, all_of, equals
from ..host_calls import note_answers
from ..live import Live
from ..loading.settings import FillSettings, RecallSettings
from ..plugin_data import PluginData
from ..records.memory import Hit, Memory
from ..records.memory_types import FACT_ID
from ..records.message import SettledMessage
from . import strange_fields
from .check import checked, reports
from .excerpts import within
from .host_request import RecallRequest
from .late_gossip import late_gossip
from .news import news_told_along
from .one_each import one_each
from .past import PastSource, as_before
from .rank import SectionCandidates, chosen, merged, ranked
from .reads import Read, learned_by, own_read, requested_reads
from .recalled import PerceivedMessage, Recall, Recalled
from .recent import as_heard, heard, query_of, sayable
from .requests import Reader
from .source import RecallSource
from .summaries import recallable_whole
from .window import candidates

LARGEST_WEIGHT = 10.0


async def recall(engine: Engine, live: Live, settings: RecallSettings, request: RecallRequest) -> Recall:
    """Search the listed reads, ask the plugins, rank.

    Raises `StorageError`, `InputError` for a character who was not there yet, and `StrategyError` or `PluginError` if
    `strict`.
    """
    now = live
    if live.is_behind:
        live = await live.as_recorded(engine)
    if request.before is not None:
        live = await as_before(engine, live, request.character, request.before)
    data, day = dict(live.data()), live.snapshot.state.game_day
    query, latest, reads, failures = await _listed(engine, live, settings, request, data)
    source = _source(engine, live, settings, request)
    # side by side, so that a store that is slow to answer, or to fail, costs its time but once
    searched, always = await asyncio.gather(
        _searched(source, reads, query, day, settings), _always(source, reads[0], settings)
    )
    ledger = engine.ledger
    found = await _unless_own(source, reads, await recallable_whole(ledger, live.snapshot.id, reads, searched), day)
    strange = await strange_fields.reports(source, reads, request.filter, found)
    if not found[0] and request.before is None:
        await source.look_at_own()
    answers = await _plugins(engine, live, request, query, found, data)
    hits = await recallable_whole(ledger, live.snapshot.id, reads, await _added(source, reads, answers, found))
    sections = _sections(reads, hits, always, answers, day, settings)
    waits, late = await _waiting(engine, now, live, request, reads)
    mark = _mark(engine.settings.fill)
    memories = await within(chosen(sections, settings, mark), settings.token_budget, query, mark)
    reader = Reader.of(live, request.character, request.channel)
    left = await checked(engine, reader, query, memories, data, settings.timeout)
    await _keep(engine, live, data)
    await note_answers(engine, now, consulted := reports(answers, left.answers))
    notes = tuple(dict.fromkeys((*_guards_notes(reads, left.memories), *left.notes)))
    failed = (*failures, *strange, *_failures(answers, source), *left.failures)
    return Recall(
        character=request.character,
        query=query,
        memories=left.memories,
        messages=latest,
        sections=tuple([each.section for each in sections]),
        notes=(*(note for answer in _given(answers) for note in answer.notes), *notes),
        pending=tuple(waits),
        why_pending=waits,
        failures=(*failed, *late, *_observer_failures(engine)),
        consulted=consulted,
    )


async def _listed(
    engine: Engine, live: Live, settings: RecallSettings, request: RecallRequest, data: Mapping[str, PluginData]
) -> tuple[str, tuple[PerceivedMessage, ...], list[Read], Sequence[str]]:
    """The query, the messages in the prompt, the reads, the character's own first, and who failed at listing them."""
    reader = Reader.of(live, request.character, request.channel)
    own, failures = await own_read(engine, reader, settings.memories, data)
    query, latest, keys = await _asked(engine, live, reader, own, settings, request)
    others, more = await requested_reads(engine, reader, query, keys, data, settings.memories)
    reads = [read.narrowed(request.filter) for read in (replace(own, in_prompt=keys), *others)]
    return query, latest, reads, tuple(dict.fromkeys((*failures, *more)))


async def _always(source: RecallSource, own: Read, settings: RecallSettings) -> list[Recalled]:
    """What is recalled whatever the query is: permanent memories, and the news told with messages in the prompt."""
    permanent = await _permanent(source, own) if settings.permanent == "always" else []
    return [*permanent, *await news_told_along(source, own)]


def _failures(answers: Sequence[Answered[RecallAnswer]], source: RecallSource) -> Iterator[str]:
    """Which plugins failed, and whether the store did."""
    yield from (answer.label for answer in answers if answer.failure)
    if source.failure:
        yield source.failure
    yield from (f"store: {each}" for each in (*source.standing_failures, *source.emptied, *source.refused))


async def _waiting(
    engine: Engine, now: Live, live: Live, request: RecallRequest, reads: Sequence[Read]
) -> tuple[dict[str, str], list[str]]:
    """Key of a message of which the reader may yet be told → why that waits; and why what is due has not arrived."""
    if request.before is not None:
        return {}, []
    withheld = live.withheld_from({each.container for each in reads}) if live.withheld else {}
    late = {key: f"what is due {why}" for key, why in withheld.items()}
    return {**await late_gossip(engine, now, request.character), **late}, [*dict.fromkeys(late.values())]


def _source(engine: Engine, live: Live, settings: RecallSettings, request: RecallRequest) -> RecallSource:
    own = character_container_name(live.snapshot.id, request.character)
    if request.before is None:
        return RecallSource(engine, live, settings.timeout, own)
    return PastSource(engine, live, settings.timeout, own, request.before.sequence)


def _observer_failures(engine: Engine) -> Sequence[str]:
    """The failures of observers that were switched off. Raises `StrategyError` if there is one and `strict` is set."""
    failures = engine.observers.failures
    if failures and engine.settings.strict:
        raise StrategyError(failures[0])
    return failures


def _mark(settings: FillSettings) -> str:
    """The line below a memory that must not be said here, as it counts for the budget."""
    return settings.templates.unsayable if settings.unsayable == "mark" else ""


def _guards_notes(reads: Sequence[Read], recalled: Sequence[Recalled]) -> Sequence[str]:
    """What guards say above the memories that they have marked, each line once."""
    marked = [each.memory for each in recalled if not each.sayable]
    return tuple(dict.fromkeys(note for read in reads for note in read.notes(marked))) if marked else ()


def _marked(found: list[Recalled], read: Read) -> list[Recalled]:
    """The memories, marked where a guard says that they are known but not sayable here."""
    if not read.unsayable:
        return found
    reasons = ((each, read.why_unsayable(each.memory)) for each in found)
    return [each if why is None else each.model_copy(update={"unsayable": why}) for each, why in reasons]


async def _asked(
    engine: Engine, live: Live, reader: Reader, own: Read, settings: RecallSettings, request: RecallRequest
) -> tuple[str, tuple[PerceivedMessage, ...], tuple[str, ...]]:
    """The query, the last messages in the prompt, and the keys of all that is in it already."""
    if request.query is not None and request.in_prompt is not None and not request.in_prompt:
        return request.query, (), ()
    latest = await heard(engine, live, reader, own.permitted)
    asked = latest[-settings.recent :]
    query = query_of(live, reader.character, asked) if request.query is None else request.query
    last = _newest_of(latest, settings.recent if settings.last is None else settings.last)
    if request.in_prompt is not None:
        last = [each for each in latest if each.key in request.in_prompt]
    shown = await sayable(engine, reader, last, [each.filter for each in own.unsayable])
    held = last if settings.last is None else shown
    keys = tuple(each.key for each in held) if request.in_prompt is None else request.in_prompt
    return query, as_heard(live, reader.character, shown), keys


def _newest_of(messages: Sequence[SettledMessage], number: int) -> Sequence[SettledMessage]:
    return messages[-number:] if number else ()


async def _searched(
    source: RecallSource, reads: Sequence[Read], query: str, day: float, settings: RecallSettings
) -> list[list[Hit]]:
    """One search for each read, in its own container. The filter is checked again on what the store returns."""
    found = await asyncio.gather(
        *(_newest(source, each) if each.always else candidates(source, each, query, day, settings) for each in reads)
    )
    return [[hit for hit in hits if read.allows(hit.memory)] for read, hits in zip(reads, found, strict=True)]


async def _unless_own(
    source: RecallSource, reads: Sequence[Read], found: list[list[Hit]], day: float
) -> list[list[Hit]]:
    """What was found, but, where a read asks for that, each message and each fact once: as the reader perceived it,
    else as they were told of it best."""
    keys = {key for read, hits in zip(reads, found, strict=True) if read.unless_own for key in _keys_of(hits)}
    if not keys:
        return found
    facts = {fact for read, hits in zip(reads, found, strict=True) if read.unless_own for fact in _facts_of(hits)}
    same: Filter = In("messageIds", tuple(sorted(keys)))
    if facts:
        same = Or((same, In(FACT_ID, tuple(sorted(facts)))))
    about = all_of(equals("type", "message"), same, learned_by(day))
    own = await source.list(reads[0].container, filter=about)
    told = {each.id: each for each in own if "sharedFrom" in each.metadata and reads[0].allows(each)}
    held = {key for memory in own if memory.id not in told for key in memory.message_keys}
    shared = [hit.memory for read, hits in zip(reads, found, strict=True) if read.unless_own for hit in hits]
    kept = one_each([each for each in shared if held.isdisjoint(each.message_keys)], told.values())
    chosen = {*told, *(each.id for each in shared)}
    return [
        [_as_read(hit, kept) for hit in hits if hit.memory.id in kept or hit.memory.id not in chosen] for hits in found
    ]


def _as_read(hit: Hit, kept: Mapping[str, Memory]) -> Hit:
    """The hit with its memory as it is read."""
    memory = kept.get(hit.memory.id, hit.memory)
    return hit if memory is hit.memory else hit.model_copy(update={"memory": memory})


def _keys_of(hits: Sequence[Hit]) -> Iterator[str]:
    return (key for hit in hits for key in hit.memory.message_keys)


def _facts_of(hits: Sequence[Hit]) -> Iterator[str]:
    return (str(fact) for hit in hits if (fact := hit.memory.metadata.get(FACT_ID)) is not None)


async def _newest(source: RecallSource, read: Read) -> Sequence[Hit]:
    """The newest memories of a read that are always included."""
    memories = await source.list(read.container, filter=read.filter)
    return [Hit(memory=each, score=1.0) for each in memories[-read.number :]]


async def _permanent(source: RecallSource, own: Read) -> list[Recalled]:
    """The character's own permanent memories. Those of shared containers stay within the number of their section."""
    read = own.narrowed(equals("permanent", True))
    memories = await source.list(read.container, filter=read.filter)
    return [Recalled(memory=memory, score=1.0, parts={}) for memory in memories if read.allows(memory)]


def _sections(
    reads: Sequence[Read],
    hits: Sequence[Sequence[Hit]],
    always: Sequence[Recalled],
    answers: Sequence[Answered[RecallAnswer]],
    day: float,
    settings: RecallSettings,
) -> list[SectionCandidates]:
    """The hits by section, the character's own first. A section's first read decides its heading and number."""
    dropped, weights = _drops(answers), _weights(answers)
    out = dropped.union(each.memory.id for each in always)
    lists: dict[str, list[list[Recalled]]] = {}
    for read, found in zip(reads, hits, strict=True):
        left = [hit for hit in found if hit.memory.id not in out] if out else found
        lists.setdefault(read.section.name, []).append(_marked(ranked(left, weights, day, settings), read))
    first = {read.section.name: read for read in reversed(reads)}
    kept = _marked([each for each in always if each.memory.id not in dropped], reads[0])
    own = reads[0].section.name
    return [
        SectionCandidates(first[name].section, first[name].number, merged(several), kept if name == own else ())
        for name, several in lists.items()
    ]


async def _plugins(
    engine: Engine,
    live: Live,
    request: RecallRequest,
    query: str,
    found: Sequence[Sequence[Hit]],
    data: Mapping[str, PluginData],
) -> Sequence[Answered[RecallAnswer]]:
    if not engine.plugins.asks("on_recall"):
        return []
    memories = tuple({hit.memory.id: hit for hits in found for hit in hits}.values())
    reader = Reader.of(live, request.character, request.channel)
    event = reader.event(RecallEvent, query=query, memories=memories)
    return await engine.plugins.ask("on_recall", event, RecallAnswer, data)


async def _keep(engine: Engine, live: Live, data: Mapping[str, PluginData]) -> None:
    for plugin, buffer in data.items():
        if buffer.changes:
            await engine.ledger.write_data(live.snapshot.id, plugin, buffer.changes)
            live.stored[plugin] = dict(buffer)


async def _added(
    source: RecallSource,
    reads: Sequence[Read],
    answers: Sequence[Answered[RecallAnswer]],
    found: Sequence[Sequence[Hit]],
) -> list[list[Hit]]:
    """The hits and what plugins add. Additions are read again from the listed containers only, and filtered again."""
    known = {hit.memory.id for hits in found for hit in hits}
    wanted = [id for answer in _given(answers) for id in answer.add if id not in known]
    if not wanted:
        return [list(hits) for hits in found]
    lists = await asyncio.gather(*(source.get(read.container, wanted) for read in reads))
    return [[*hits, *_as_hits(read, got)] for read, hits, got in zip(reads, found, lists, strict=True)]


def _as_hits(read: Read, memories: Sequence[Memory]) -> list[Hit]:
    return [Hit(memory=each, score=1.0, parts={"added": 1.0}) for each in memories if read.allows(each)]


def _drops(answers: Sequence[Answered[RecallAnswer]]) -> set[str]:
    return {id for answer in _given(answers) for id in answer.drop}


def _weights(answers: Sequence[Answered[RecallAnswer]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for answer in _given(answers):
        for id, factor in answer.weights.items():
            weights[id] = weights.get(id, 1.0) * min(max(factor, 0.0), LARGEST_WEIGHT)
    return weights


def _given(answers: Sequence[Answered[RecallAnswer]]) -> list[RecallAnswer]:
    return [answer.value for answer in answers if answer.value is not None]
