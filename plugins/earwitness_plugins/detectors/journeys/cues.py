"""What scripts of visual novels say of who is seen: `hide bob`, `[SPRITE: BOB off]`, `[exit Bob and Mia, left]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from earwitness.patterns import lazy_pattern

from ..text.movements import Move, Referents
from ..text.names import Names
from .reader import journeys

_STEMS = ("[", "<", "hide ", "show ")
_BRACKETS = lazy_pattern(r"\[(?P<square>[^\[\]]{2,300})\]|<(?P<angle>[^<>]{2,300})>")
_ITEMS = lazy_pattern(r"[.;\n]+")
_COMMAND = lazy_pattern(r"(?im)^\s*(?P<way>hide|show)\s+(?P<who>[^\n]{1,60})$")
_WITH = lazy_pattern(r"(?i)\s(?:with|at|behind)\s")
_SPRITE = lazy_pattern(r"(?i)\A\W*(?:sprites?|figure?s?|portraits?|character|actor|chara|スプライト|立ち絵|立绘)\b")
_OFF = lazy_pattern(
    r"(?i)\b(?:off[- ]?(?:screen|stage)|off(?=\W*(?:\Z|[,:)]))|out|hidden|hides?|exits?|leaves?|gone|removed?|"
    r"disappears?|greyed|grayed|"
    r"ab|weg|aus|raus|fuera|sale|sort|sai|fora|退場)\b"
)
_ON = lazy_pattern(
    r"(?i)\b(?:on|in|back|appears?|enters?|shown|returns?|auf|an|da|entra|entre)\b(?!\s+(?:the|a|her|his)\b)"
)
_BACKGROUND = lazy_pattern(r"(?i)\[\s*(?:bg|background|hintergrund|fundo|fondo|décor|decor|背景|фон)\b")
_LISTED = lazy_pattern(
    r"(?i)(?:\b(?:sprites|characters|figuren|figuras|personagens|personajes|personnages|спрайты)|スプライト|立ち絵|立绘)\s*"
    r"[:\uff1a][^\[\]\n]*"
)
_EXIT = lazy_pattern(r"(?i)\A\W*(?:exit|exits|exeunt)\b")
_ENTER = lazy_pattern(r"(?i)\A\W*(?:re-?)?enters?\b")
_ONSTAGE: dict[str, Literal["enter", "leave"]] = {"hide": "leave", "show": "enter"}


def cues(content: str, names: Names, teller: str | None, here: Sequence[str] = ()) -> Iterator[Move]:
    """Who comes and goes by the directions of a script. `teller` is who speaks the line; `None` for a narrator.

    Where a narrator opens another scene (`[BG: roof]`) and says who is seen there, the others of those `here` are not.
    """
    folded = content.casefold()
    if not any(stem in folded for stem in _STEMS):
        return
    for command in _COMMAND.finditer(content):
        who = _WITH.split(command["who"], maxsplit=1)[0]
        for mention in names.find(who.title() if who.islower() else who):
            yield Move(mention.id, _ONSTAGE[command["way"].lower()], None, command[0].strip()[:60])
    if teller is None:
        yield from _scene_change(content, names, here)
    for bracket in _BRACKETS.finditer(content):
        for item in _ITEMS.split(bracket["square"] or bracket["angle"]):
            yield from _cue(item, names, teller)


def _scene_change(content: str, names: Names, here: Sequence[str]) -> Iterator[Move]:
    listed = [match[0] for match in _LISTED.finditer(content)] if _BACKGROUND.search(content) else []
    seen = {mention.id for text in listed for mention in names.find(text)}
    if not seen:
        return
    named = {mention.id for mention in names.find(content)}
    yield from (Move(id, "leave", None, listed[0][:60]) for id in here if id not in named)
    yield from (Move(id, "enter", None, listed[0][:60]) for id in sorted(seen.difference(here)))


def _cue(item: str, names: Names, teller: str | None) -> Iterator[Move]:
    mentions = [mention for mention in names.find(item) if not mention.possessive]
    kind = _kind(item)
    if kind is not None:
        whom = [mention.id for mention in mentions] or ([teller] if teller and kind == "leave" else [])
        yield from (Move(id, kind, None, item.strip()[:60]) for id in dict.fromkeys(whom))
    elif mentions and mentions[0].id == teller and not item[: mentions[0].start].strip():
        stage = Referents(teller=teller, here=(), last=None)
        yield from (move for move in journeys([(item, False)], names, stage) if move.id == teller)


def _shown(item: str) -> Literal["enter", "leave"] | None:
    """Which way a sprite goes by the first word that says so; one that is only listed is seen."""
    off, on = _OFF.search(item), _ON.search(item)
    if off and not (on and on.start() < off.start()):
        return "leave"
    return "enter" if on or ":" in item else None


def _kind(item: str) -> Literal["enter", "leave"] | None:
    if _EXIT.match(item):
        return "leave"
    if _ENTER.match(item):
        return "enter"
    if _SPRITE.match(item):
        return _shown(item)
    return None
