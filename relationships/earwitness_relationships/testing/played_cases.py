"""The leak suite through whole stories: rules in a file, messages said, days passing, and a reader who recalls.

What a reader recalls is compared with the references of rules and privacy. Slower than `leaks`, and without its caps of
knowledge: detector, ledger, store, sharing rule, guard and recall all take part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from earwitness import Character, Earwitness, Session

from ..propagation.records import Seed
from ..rules.records import RuleBook
from .cases import PEOPLE, PERSONA, HeardMessage, LeakCase
from .leaks import Disagreement
from .reference import has_caps, reached
from .reference_privacy import may_recall
from .reference_rules import RulesAsWritten

InstanceOpener = Callable[[dict[str, Any]], AbstractAsyncContextManager[Earwitness]]
"""Opens an instance on an empty store with these settings."""
CAST = tuple(
    Character(id, kind="persona", user_id="u1", persona_id=id) if id == PERSONA else Character(id) for id in PEOPLE
)


async def played_disagreements(given: LeakCase, folder: Path, opener: InstanceOpener) -> list[Disagreement]:
    """Play a case as a story, let its reader recall, and say what differs from the references."""
    (folder / "rules.json").write_text(as_file(given.book), "utf-8")
    graph = {"name": "networkx", "path": str(folder / "graph.db")}
    async with opener({"relationships": {"rules": str(folder / "rules.json"), "graph": graph}}) as ew:
        story = await _played(ew, given)
        recalled = {heard.seed.key: await _recalled(story, given, heard) for heard in given.conversation}
        seeds = {heard.seed.key: await _settled(story, given, heard) for heard in given.conversation}
    return list(_compared(given, seeds, recalled))


def as_file(book: RuleBook) -> str:
    """A rule book as a rule file."""
    return json.dumps({"pantheons": [each.model_dump(mode="json", exclude_none=True) for each in book.pantheons]})


def text_of(seed: Seed) -> str:
    """What is said: a word that nothing else holds, and the names of whom it is about."""
    return f"Secret{seed.key.replace('-', 'x')} concerns {', '.join((*seed.about, 'nobody else'))}."


async def begun(ew: Earwitness, given: LeakCase, absent: str | None = None) -> Session:
    """A story as the case begins: everybody but the `absent`, and its relations."""
    first = given.conversation[0].seed
    state: Mapping[str, Any] = {"flags": first.flags, "current_scene": first.place, "game_day": first.day}
    story = await ew.session("s1", cast=[each for each in CAST if each.id != absent], state=state)
    for each in given.relations:
        days = {"since": each.since or 0, "until": each.until}
        await story.relationships.relate(each.source, each.target, each.type, weight=each.weight, **days)
    return story


async def _played(ew: Earwitness, given: LeakCase) -> Session:
    story = await begun(ew, given)
    for heard in given.conversation:
        seed = heard.seed
        await story.change(game_day=seed.day)
        await story.say(seed.speaker, text_of(seed), key=seed.key, audience=list(seed.direct), channel=heard.channel)
    await story.change(game_day=given.day)
    await story.delivered()
    return story


async def _recalled(story: Session, given: LeakCase, heard: HeardMessage) -> bool:
    """Whether the reader recalls a message when asked for its very words."""
    turn = await story.turn(given.reader, query=text_of(heard.seed), channel=given.asked, in_prompt=[])
    word = text_of(heard.seed).split()[0]
    return any(word in memory.text for memory in turn.memories)


async def _settled(story: Session, given: LeakCase, heard: HeardMessage) -> Seed:
    """The seed as the story settled it: with the roles that were decided, and the state that all messages share."""
    settled = await (await story.outcome(heard.seed.key)).settled()
    roles = {id: part.role for id, part in settled.participants.items()}
    users = tuple(id for id in roles if id == PERSONA)
    first = given.conversation[0].seed
    shared = {"flags": first.flags, "place": first.place}
    return heard.seed.model_copy(update={"direct": roles, "users": users, **shared})


def _compared(given: LeakCase, seeds: Mapping[str, Seed], recalled: Mapping[str, bool]) -> Iterator[Disagreement]:
    rules = RulesAsWritten(given.book, given.relations)
    for heard in given.conversation:
        seed = seeds[heard.seed.key]
        ways = reached(rules, seed)
        knows = given.reader in seed.direct or (given.reader in ways and ways[given.reader].day <= given.day)
        may = knows and may_recall("graded", heard.channel, given.asked, seed.direct)
        if recalled[seed.key] and not may:
            yield Disagreement(given.number, seed.key, f"{given.reader} recalls it: {_why(knows)}", leak=True)
        elif may and not recalled[seed.key] and not has_caps(given.book):
            yield Disagreement(given.number, seed.key, f"{given.reader} should recall it", leak=False)


def _why(knows: bool) -> str:
    return "it may not be read in this channel" if knows else "no chain of rules leads there"
