"""Hand-labelled scenes of role play: `⟦a thought⟧` reaches nobody else, `⟪open speech⟫` everybody who is here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from earwitness.records.moment import Presence

SCENES = Path(__file__).parent / "scenes"
_LABEL = re.compile("[⟦⟧⟪⟫]")
_KINDS = {"⟦": "thought", "⟪": "open"}
Span = tuple[int, int]


@dataclass(frozen=True)
class LabelledMessage:
    """One message of a scene, without its labels."""

    scene: str
    """File and number of the scene, for a test's report."""
    cast: tuple[str, ...]
    """Names of everybody in the scene; all of them are here."""
    speaker: str
    """Name of the speaker."""
    text: str
    """The message."""
    thoughts: tuple[Span, ...]
    """Offsets of what the speaker only thinks."""
    open: tuple[Span, ...]
    """Offsets of what is plainly said aloud."""


def labelled_messages() -> Iterator[LabelledMessage]:
    """Every message of every scene."""
    for path in sorted(SCENES.glob("*.txt")):
        for number, scene in enumerate(re.split(r"^== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:], start=1):
            cast, *lines = scene.rstrip("\n").split("\n")
            names = tuple(name.strip() for name in cast.split(","))
            for line in re.split(r"\n(?!\|)", "\n".join(lines)):
                speaker, _, marked = re.sub(r"\n\| ?", "\n", line).partition(": ")
                assert speaker in names, f"{path.name}, scene {number}: {speaker!r} is not in its cast"
                yield _labelled(f"{path.stem} {number}", names, speaker, marked)


def _labelled(scene: str, cast: tuple[str, ...], speaker: str, marked: str) -> LabelledMessage:
    spans: dict[str, list[Span]] = {"thought": [], "open": []}
    text, opened, at = "", ("", 0), 0
    for label in _LABEL.finditer(marked):
        text += marked[at : label.start()]
        at = label.end()
        if label[0] in _KINDS:
            opened = (_KINDS[label[0]], len(text))
        else:
            spans[opened[0]].append((opened[1], len(text)))
    return LabelledMessage(scene, cast, speaker, text + marked[at:], tuple(spans["thought"]), tuple(spans["open"]))


def reached(presence: Presence, text: str, listener: str) -> list[bool]:
    """For every character of the text, whether this listener perceives it. Segments must add up to the text."""
    if (who := presence.characters.get(listener)) is None or who.probability < 0.5:
        return [False] * len(text)
    if not presence.segments:
        return [True] * len(text)
    bare = [at for at, letter in enumerate(text) if not letter.isspace()]
    found: list[bool] = []
    for segment in presence.segments:
        hears = segment.kind != "ooc" and (segment.audience is None or listener in segment.audience)
        found += [hears] * len("".join(segment.text.split()))
    assert len(found) == len(bare), f"segments do not add up to {text!r}: {presence.segments}"
    heard = [False] * len(text)
    for at, hears in zip(bare, found, strict=True):
        heard[at] = hears
    return heard


def touched(span: Span, text: str, heard: list[bool]) -> bool:
    """Whether any word within the span is perceived."""
    return any(heard[at] and text[at].isalnum() for at in range(*span))
