"""Which memories of a character go into one summary. Pure.

Only messages, news of the world and earlier summaries of ours do. What is from before the story, written by hand, or
derived, such as facts, stays as it is; so does a message with news told along, since each line of these may go by
itself. What is summed up together was learned in one place, in one way, and from one teller: all metadata are equal,
but for those that each message has for itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil

from earwitness import Cast, Memory, Record
from earwitness.formats import message_text_of, parts_of
from earwitness.ids import WORLD
from earwitness.records.memory_types import MESSAGE, REPLACES, UPDATE_TYPES, MetaValue
from earwitness.words import STOP_WORDS, plain, terms

from .protocol import Remembered
from .settings import ConsolidationPolicy

MADE_BY = "consolidatedBy"
"""Metadata of a summary: the consolidator that made it."""
OF_EACH = frozenset(
    (
        "type speaker participants isSpeaker location gameDay learnedDay timestamp messageIds updateType characterId "
        "previousLocation stateKey item from to flag restsOn gameDayFrom createdAt sessionId "
        f"{REPLACES} {MADE_BY}"
    ).split()
)
"""Metadata that each memory has for itself."""
EPSILON = 1e-9
"""What multiplying a share may add by rounding."""
Group = tuple[Memory, ...]


class Chosen(Record):
    """Memories that go together."""

    memories: tuple[Memory, ...]
    """Oldest first."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids."""
        return tuple(each.id for each in self.memories)

    @property
    def shared(self) -> Mapping[str, MetaValue]:
        """The metadata that all of them have."""
        return {key: value for key, value in self.memories[0].metadata.items() if key not in OF_EACH}

    @property
    def days(self) -> tuple[float, float]:
        """The first and the last game day that they are of."""
        found = [day for each in self.memories for day in _days(each)]
        return min(found, default=0), max(found, default=0)


def consolidatable(memories: Iterable[Memory], cast: Cast, left_alone: Collection[str]) -> list[Memory]:
    """The memories of a character that may be summed up, in the order in which they were learned."""
    every = list(memories)
    beside = {id for each in every if REPLACES in each.metadata for id in _rests_on(each)}
    found = [each for each in every if each.id not in left_alone and each.id not in beside and _is_ours(each, cast)]
    return sorted(found, key=lambda each: (each.learned_day or 0, str(each.metadata.get("timestamp", ""))))


def due(memories: Sequence[Memory], policy: ConsolidationPolicy, day: float, keep: int) -> list[Memory]:
    """Those that a policy wants summed up; without the newest."""
    older = memories[: max(0, len(memories) - keep)]
    crowded = policy.count is not None and len(memories) > policy.count
    crowded |= policy.length is not None and sum(len(each.text) for each in memories) > policy.length
    if crowded:
        return list(older)
    old = {each.id for each in older if policy.age is not None and day - (each.learned_day or 0) >= policy.age}
    alike = _alike(older, policy.repetition) if policy.repetition is not None else set[str]()
    return [each for each in older if each.id in old | alike]


def together(memories: Iterable[Memory], least: int, most: int) -> Iterator[Chosen]:
    """The memories by what they have in common, so many at a time."""
    groups: dict[tuple[object, ...], list[Memory]] = {}
    for each in memories:
        groups.setdefault(_in_common(each), []).append(each)
    for group in groups.values():
        for begin in range(0, len(group), most):
            part = group[begin : begin + most]
            if len(part) >= least:
                yield Chosen(memories=tuple(part))


def remembered(chosen: Chosen, cast: Cast) -> tuple[Remembered, ...]:
    """The memories as a consolidator is shown them."""
    return tuple(_remembered(f"m{number}", each, cast) for number, each in enumerate(chosen.memories, 1))


def _remembered(label: str, memory: Memory, cast: Cast) -> Remembered:
    speaker = memory.metadata.get("speaker")
    if memory.type != MESSAGE:
        return Remembered(label=label, text=parts_of(memory.content).text or memory.text, day=memory.game_day)
    name = parts_of(memory.content).name or cast.name_of(str(speaker))
    return Remembered(label=label, text=message_text_of(memory.content), speaker=name, day=memory.game_day)


def _is_ours(memory: Memory, cast: Cast) -> bool:
    data = memory.metadata
    if memory.permanent or "speakAs" in data or parts_of(memory.content).knowledge:
        return False
    people = data.get("participants")
    named = [data.get("speaker"), data.get("sharedFrom"), *(people if isinstance(people, list) else ())]
    if any(each is not None and each != WORLD and str(each) not in cast for each in named):
        return False  # somebody in disguise: who that is may yet come out
    return MADE_BY in data if "restsOn" in data else memory.type in {MESSAGE, *UPDATE_TYPES}


def _in_common(memory: Memory) -> tuple[object, ...]:
    data = {"contextType": "private_channel", **memory.metadata}
    own = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key not in OF_EACH}
    return tuple(sorted((key, type(value).__name__, value) for key, value in own.items()))


def _rests_on(memory: Memory) -> list[str]:
    grounds = memory.metadata.get("restsOn")
    return grounds if isinstance(grounds, list) else []


def _days(memory: Memory) -> Iterator[float]:
    first = memory.metadata.get("gameDayFrom", memory.game_day)
    yield from (float(day) for day in (first, memory.game_day) if isinstance(day, int | float))


def _alike(memories: Sequence[Memory], share: float) -> set[str]:
    """Ids of those that share so much of their words with an earlier one, and of the first such earlier one."""
    words = [frozenset(terms(plain(_said(each)))) - STOP_WORDS for each in memories]
    rarity = Counter(word for each in words for word in each)
    having: dict[str, list[int]] = defaultdict(list)
    found: set[str] = set()
    for place, each in enumerate(words):
        # Whoever shares so much with it has one of so many of its rarest words among as many of their own.
        rarest = sorted(each, key=lambda word: (rarity[word], word))[
            : len(each) - ceil(share * len(each) - EPSILON) + 1
        ]
        for before in sorted({other for word in rarest for other in having[word]}):
            if len(each & words[before]) / len(each | words[before]) >= share:
                found |= {memories[place].id, memories[before].id}
                break
        for word in rarest:
            having[word].append(place)
    return found


def _said(memory: Memory) -> str:
    return message_text_of(memory.content) or memory.text
