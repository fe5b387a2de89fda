"""The oracle `labels`: every message reaches exactly those whom its labels name, by the host's word.

What is scored then, such as who knows a fact, does not depend on how well a detector hears.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from earwitness.records.moment import Moment, Perceived, Presence, Segment
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledLine

LABELS = "labels"
"""The name by which a command line asks for it."""
PIECES = "labelledPieces"
"""The metadata of a message that has pieces with an audience of their own."""


class ByLabels:
    """Cuts a message into its labelled pieces. Who is there, the host says."""

    def detect(self, moment: Moment) -> Presence:
        """The speaker, and the pieces in the message's metadata; nobody moves."""
        message = moment.message
        said = Perceived(probability=1, role="speaker", evidence=("said it",))
        pieces: Any = message.metadata.get(PIECES, ())
        segments = tuple(_segments(message.content, pieces)) if pieces else ()
        return Presence(characters={message.speaker: said}, segments=segments)


PATH = f"{ByLabels.__module__}.{ByLabels.__qualname__}"
"""The name by which it is made. No entry point names it: outside evaluation there are no labels."""


def host_word(line: LabelledLine, roles: Roles) -> dict[str, Any]:
    """What `Session.say` is told of a line: its audience, or who is there and the pieces.

    A line that is not scored, and one with an aside, reaches nobody besides its speaker.
    """
    there = roles.ids(line.perceivers)
    if there is None or line.aside:
        return {"audience": ()}
    if not line.pieces:
        return {"audience": there}
    pieces = [{"text": piece.text, "audience": [*(roles.ids(piece.audience) or ())]} for piece in line.pieces]
    return {"present": there, "metadata": {PIECES: pieces}}


def _segments(content: str, pieces: Sequence[Mapping[str, Any]]) -> Iterator[Segment]:
    """The pieces in order, and what stands between them, for everybody. A piece that is not found is left out."""
    begin = 0
    for piece in pieces:
        if (found := content.find(piece["text"], begin)) >= 0:
            yield from _between(content[begin:found])
            yield Segment(text=piece["text"], kind="spoken", audience=tuple(piece["audience"]))
            begin = found + len(piece["text"])
    yield from _between(content[begin:])


def _between(text: str) -> Iterator[Segment]:
    if text.strip():
        yield Segment(text=text, kind="spoken")
