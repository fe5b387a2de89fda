"""Of several memories of one message, or of one fact, in the containers of a recall, the one that is read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..formats import message_text_of
from ..records.memory import STRENGTH, Memory
from ..records.memory_types import FACT_ID, TOLD_AT


def one_each(shared: Iterable[Memory], own: Iterable[Memory] = ()) -> dict[str, Memory]:
    """Id → each memory that is read: of each message one, as of several supports of one memory, with the day on which
    it was learned first. What says the same of a fact as an earlier message goes with that one. What is about no
    message stays. `own` are the reader's own memories of what they were told."""
    group_of: dict[object, object] = {}
    groups: dict[object, list[Memory]] = {}
    for each in sorted((*own, *shared), key=_told_at):
        about = each.message_keys or each.id
        group = group_of.setdefault(about, group_of.get(each.metadata.get(FACT_ID), about))
        group_of.setdefault(each.metadata.get(FACT_ID, about), group)
        groups.setdefault(group, []).append(each)
    read = map(_shown, groups.values())
    return {each.id: each for each in read}


def _shown(group: Sequence[Memory]) -> Memory:
    """The memory that is read, as `strongest.shown` says of supports."""
    strongest = min(group, key=_shown_first)
    same = [each for each in group if each.message_keys == strongest.message_keys]
    longest = max(map(_length, same))
    alike = sorted((each for each in same if _length(each) == longest), key=_shown_first)
    if _strength(alike[0]) == _strength(strongest):
        strongest = alike[0]
    learned = min((each.learned_day for each in alike if each.learned_day is not None), default=strongest.learned_day)
    if learned == strongest.learned_day or learned is None:
        return strongest
    return strongest.model_copy(update={"metadata": {**strongest.metadata, "learnedDay": learned}})


def _told_at(memory: Memory) -> float:
    number = memory.metadata.get(TOLD_AT, 0)
    return float(number) if isinstance(number, int | float) else 0.0


def _length(memory: Memory) -> int:
    """Characters of what was said, without its speaker."""
    _, colon, said = memory.text.partition(": ")
    return len(message_text_of(memory.content) or (said if colon else memory.text))


def _strength(memory: Memory) -> int:
    how = str(memory.metadata.get("interactionType"))
    return STRENGTH.index(how) if how in STRENGTH else len(STRENGTH)


def _shown_first(memory: Memory) -> tuple[int, float, float, float, str, str]:
    """Sort key: of several memories of one message, which of them is read, as of several supports of one memory."""
    data, trust = memory.metadata, memory.metadata.get("trust", 1.0)
    trusted = float(trust) if isinstance(trust, int | float) else 1.0
    teller, place = str(data.get("sharedFrom", "")), memory.container + memory.id
    return _strength(memory), memory.learned_day or 0.0, _told_at(memory), -trusted, teller, place
