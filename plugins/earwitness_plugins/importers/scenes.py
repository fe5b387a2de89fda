"""Scenes with a roster, one per line, and who perceives each message.

`{"dataset", "scene", "roster": [name], "messages": [{"kind": "speech" | "narration", "speaker", "text", "present"}]}`.
`present` lists those who perceive the message, or for one with an aside, those who are there; it is null where nobody
can tell. A message may have `speakers` (several speak as one), `marked` (its text with directions for its delivery),
`aside` (nobody else hears the aside in it), `parts` (`[{"text", "present": [name]}]`: pieces with an audience of their
own) and `acts` (`[{"who", "act"}]`: who `arrives`, `returns`, `wakes`, `leaves` or `sleeps` in it). A scene may have
`present`, which is not a label: who is there when it begins, as a host would know. It may have a `group`: scenes of one
group are parts of one conversation, as are those named `7-0`, `7-1`, …. Further keys are anybody's own; one that is a
letter off is refused.
"""

from __future__ import annotations

from pydantic import ValidationError

from earwitness.errors import quoted
from earwitness.patterns import lazy_pattern
from earwitness.unmatched import differ_little

from .labelled import Labelled, LabelledAct, LabelledLine, LabelledPiece, LabelledScene
from .rows import JsonRow, first_line, rows

_KEYS = (b'"scene"', b'"roster"')
ACTS = ("arrives", "returns", "wakes", "leaves", "sleeps")
SCENE = ("dataset", "scene", "group", "roster", "present", "messages")
"""Keys of a scene."""
KINDS = ("speech", "narration")
MESSAGE = ("kind", "speaker", "speakers", "text", "marked", "aside", "present", "parts", "acts")
PIECE = ("text", "present")
ACT = ("who", "act")
_PART = lazy_pattern(r"(\d+)-\d+")


class ScenesImporter:
    """Reads scenes; each becomes a session `{dataset}-{scene}`. A message is read with its directions."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line begins like a scene."""
        del path
        line = first_line(head)
        return line.startswith(b"{") and all(key in line for key in _KEYS)

    def read(self, path: str) -> Labelled:
        """Every scene, in order. Raises `StoryError` that names file and line."""
        return Labelled(scenes=tuple(map(_scene, rows(path))))


def _scene(row: JsonRow) -> LabelledScene:
    row.refuse_misspelt(SCENE)
    dataset = row.optional_text("dataset") or ""
    name = row.text("scene")
    part = _PART.fullmatch(name)
    return LabelledScene(
        id=f"{dataset}-{name}" if dataset else name,
        dataset=dataset,
        name=name,
        group=row.optional_text("group") or (part[1] if part else name),
        roster=tuple(dict.fromkeys(row.names("roster") or ())),
        present=row.names("present"),
        lines=tuple(_line(message) for message in row.rows("messages")),
    )


def _line(row: JsonRow) -> LabelledLine:
    row.refuse_misspelt(MESSAGE)
    _refuse_misspelt_kind(row)
    marked = row.optional_text("marked")
    speakers, aside = _speakers(row), row.values.get("aside") is True
    return LabelledLine(
        speaker=next(iter(speakers), None),
        along=speakers[1:],
        narration=row.values.get("kind") == "narration",
        text=row.text("text") if marked is None else marked,
        plain=None if marked is None else row.text("text"),
        present=row.names("present") if aside else None,
        audience=None if aside else row.names("present"),
        judged="present" not in row.values or row.values["present"] is not None,
        aside=aside,
        pieces=tuple(map(_piece, row.rows("parts"))) if "parts" in row.values else (),
        acts=tuple(map(_act, row.rows("acts"))) if "acts" in row.values else (),
    )


def _refuse_misspelt_kind(row: JsonRow) -> None:
    """Raise `StoryError` for a kind that is almost one of ours: a "naration" would be said by nobody."""
    kind = str(row.values.get("kind"))
    for meant in () if kind in KINDS else KINDS:
        if differ_little(kind.casefold(), meant):
            raise row.error(f"there is no kind {quoted(kind)}. Did you mean {meant!r}?")


def _piece(row: JsonRow) -> LabelledPiece:
    row.refuse_misspelt(PIECE)
    return LabelledPiece(text=row.text("text"), audience=row.names("present") or ())


def _act(row: JsonRow) -> LabelledAct:
    row.refuse_misspelt(ACT)
    try:
        return LabelledAct.model_validate({"who": row.text("who"), "act": row.text("act")})
    except ValidationError as error:
        raise row.error(f"act {row.text('act')!r} is not known. Acts: {', '.join(ACTS)}.") from error


def _speakers(row: JsonRow) -> tuple[str, ...]:
    """Everybody who says it; nobody for narration."""
    if row.values.get("kind") == "narration":
        return ()
    named = row.optional_text("speaker")
    return tuple(dict.fromkeys((*([named] if named else []), *(row.names("speakers") or ()))))
