"""What a model is shown for a profile, and what of its claims counts: those that cite memories it was shown. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, JsonValue

from earwitness import Character
from earwitness.formats import as_said

from ...models.scene import one_line
from .evidence import AboutSomebody, names_of
from .records import ProfileClaim

MOST_SHOWN, MOST_CLAIMS = 60, 12
"""Memories that a model is shown, the newest, and claims that are kept."""
LONGEST_MEMORY, LONGEST_CLAIM = 600, 300
"""Characters of each."""


def _labels(given: object) -> object:
    if isinstance(given, str):
        return given.replace(",", " ").split()
    return [str(each) for each in given] if isinstance(given, list) else given


class ClaimedThought(BaseModel):
    """One claim of a model."""

    text: str
    """The sentence."""
    memories: Annotated[list[str], BeforeValidator(_labels)] = []
    """Labels of the memories that show it."""


class ProfileProposal(BaseModel):
    """The answer."""

    claims: list[ClaimedThought]
    """What the character thinks of the other one."""


def labelled(memories: Sequence[AboutSomebody]) -> dict[str, AboutSomebody]:
    """Label → memory, of the newest."""
    return {f"m{number}": each for number, each in enumerate(memories[-MOST_SHOWN:], 1)}


def material(character: Character, other: Character, shown: Mapping[str, AboutSomebody]) -> dict[str, JsonValue]:
    """Who thinks of whom, and the memories."""
    memories: list[JsonValue] = [_memory(label, each) for label, each in shown.items()]
    names: list[JsonValue] = [*names_of(other)]
    return {"character": character.name, "of": other.name, "names_of_the_other": names, "memories": memories}


def _memory(label: str, memory: AboutSomebody) -> JsonValue:
    text = memory.text if len(memory.text) <= LONGEST_MEMORY else f"{memory.text[:LONGEST_MEMORY]} […]"
    return {"label": label, "day": memory.day, "said_by": memory.speaker or "", "text": text}


def believed(
    claims: Sequence[ClaimedThought], shown: Mapping[str, AboutSomebody], notes: list[str]
) -> tuple[ProfileClaim, ...]:
    """The claims with evidence, by day. One without any that was shown is left out, and noted."""
    found: list[ProfileClaim] = []
    for each in claims[:MOST_CLAIMS]:
        text = _sentence(each.text)
        cited = list(dict.fromkeys(label for given in each.memories if (label := _label(given)) in shown))
        unknown = [given for given in each.memories if _label(given) not in shown]
        if not text or not cited:
            why = f"it cites {', '.join(map(one_line, unknown))}" if unknown else "it cites nothing"
            notes.append(f"left out {one_line(each.text)!r}: {why}, and no memory that was shown")
            continue
        if unknown:
            notes.append(f"{one_line(text)!r} also cites {', '.join(map(one_line, unknown))}, which was not shown")
        found.append(_claim(text, [shown[label] for label in cited]))
    if len(claims) > MOST_CLAIMS:
        notes.append(f"left out {len(claims) - MOST_CLAIMS} claims beyond the first {MOST_CLAIMS}")
    return tuple(sorted(found, key=lambda each: each.day))


def _label(given: Any) -> str:
    return str(given).strip().strip("[]").casefold()


def _sentence(given: str) -> str:
    """A model's words in one line, without its reasoning, and not too long."""
    text = " ".join(as_said(given).split())
    return text if len(text) <= LONGEST_CLAIM else f"{text[: LONGEST_CLAIM - 1]}…"


def _claim(text: str, evidence: Sequence[AboutSomebody]) -> ProfileClaim:
    by_day = sorted(evidence, key=lambda each: each.day)
    return ProfileClaim(
        text=text,
        evidence=tuple(each.id for each in by_day),
        since=by_day[0].day,
        day=by_day[-1].day,
        unsayable=next((each.recalled.unsayable for each in by_day if each.recalled.unsayable), None),
    )
