"""What listeners are told, in which words, and whether it is worth telling, as plain as the rules say.

Who overhears a message hears its first sentence. Nobody tells more than they know: verbatim all of it, as a summary
some of its sentences, and `in_capitals` all of it in other words. Three triages of the suite choose what is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from earwitness.sentences import sentences

from ..propagation.records import Seed, Telling
from .cases import PERSONA

ToldTexts = Mapping[str, Sequence[str]]
"""Listener → what each of their tellers says to them, in the order of tellings."""


def heard_of(seed: Seed) -> dict[str, str]:
    """What each of those who perceived a message heard of it."""
    first = f"The {seed.key} is open."
    whole = f"{first} Its key is in the well of {seed.speaker}."
    return {who: first if role == "overhearing" else whole for who, role in seed.direct.items()}


def is_worth_it(triage: str, telling: Telling) -> bool:
    """Whether a triage of the suite lets somebody be told. Raises `KeyError` for one that it does not have."""
    return {
        "only_early": telling.day <= 4,
        "at_second_hand": telling.hop > 1,
        "to_others": telling.listener != PERSONA,
    }[triage]


def wrong_texts(seed: Seed, tellings: Sequence[Telling], said: ToldTexts) -> Iterator[str]:
    """A complaint for each listener who is told what their tellers cannot say, or are not to say."""
    words = heard_of(seed)
    groups: dict[str, list[Telling]] = {}
    for each in tellings:
        groups.setdefault(each.listener, []).append(each)
    for listener, group in groups.items():
        able = [each for each in group if each.teller in words]
        first = next(iter(able), None)
        is_told = first is not None and (first.triage is None or is_worth_it(first.triage, first))
        texts = said.get(listener, ())
        if len(texts) != (len(able) if is_told else 0):
            yield f"{listener} is told {[*texts]}, and {len(able) if is_told else 0} may tell it"
        for each, text in zip(able, texts, strict=False):
            if not _may_say(each.retell, words[each.teller], text):
                yield f"{each.teller} knows {words[each.teller]!r}, and tells {listener} {text!r} ({each.retell})"
        if is_told and texts:
            words.setdefault(listener, texts[0])
    for listener in said.keys() - groups.keys():
        yield f"{listener} is told {[*said[listener]]}, and nobody tells it"


def _may_say(retell: str, known: str, text: str) -> bool:
    match retell:
        case "verbatim":
            return text == known
        case "summary":
            return bool(text) and {*sentences(text)} <= {*sentences(known)}
        case _:
            return text == known.upper()
