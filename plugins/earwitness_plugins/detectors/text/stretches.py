"""What a message is cut into: stretches from one mark to the next, each with the fragments it holds."""

from __future__ import annotations

from dataclasses import dataclass

from .directions import FragmentKind


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of a message that is perceived in one way."""

    kind: FragmentKind
    """How it is perceived."""
    text: str
    """Its words without the marks around them; for a whisper, the direction that says to whom."""
    written: bool = False
    """A whisper on paper: `text` is what tells of the note, the letter, … and who gets it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a message from one mark to the next, with what it was read as."""

    mark: str
    """How it is set off: `bare`, `quote`, `star`, `paren`, …, `command`."""
    text: str
    """As written."""
    fragments: tuple[Fragment, ...]
    """What it holds; a whisper's direction is followed by the action it may tell besides."""
    carried_on: bool = False
    """It goes on what a thought in brackets broke off: `"Hello [I hate him] there."`."""
    governs: bool = True
    """Whether it may say how the following text is meant; a thought within its own marks does not."""
    thought: bool = False
    """Whether it is or holds a thought told in words, though its mark is not only for thoughts."""
    fresh: bool = False
    """It begins a line of its own, as in a script: no direction before it holds for it."""
    tags: bool = False
    """It begins by saying that the text before it is a thought: `"Fool," she thought.`"""
