"""Knowledge from before the story, as the host gives it: plot, cards, example dialogue, lore."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .errors import InputError
from .records.base import Record
from .records.journal import Piece
from .records.refusal import explained
from .validation.arguments import several, some_text, table, text, texts


class Lore(Record):
    """One lore entry."""

    text: str
    """The text of the entry."""
    key: str | None = None
    """The `loreKey`. Preparing the same key again replaces the entry."""
    known_by: tuple[str, ...] | None = None
    """Ids, names or aliases of the characters who know it; `None` = common knowledge."""
    words: tuple[str, ...] = ()
    """Words that find it in addition to those in its text."""


def pieces_of(
    plot: str | Mapping[str, str] | None,
    cards: Mapping[str, str] | None,
    examples: Mapping[str, str | Sequence[str]] | None,
    lore: Iterable[Lore | Mapping[str, Any] | str],
    *,
    resolve: Callable[[str], str],
) -> list[Piece]:
    """All pieces, in the order given. `resolve` turns a name into an id. Raises `UnknownName`, `InputError`."""
    pieces = [Piece(type="plot", text=content, lore_key=key) for key, content in _plots(plot) if content]
    for who, content in table("cards", cards).items():
        pieces.append(Piece(type="character_card", text=text(f"cards[{who!r}]", content), owners=(resolve(who),)))
    for who, dialogues in table("examples", examples).items():
        said = texts(f"examples[{who!r}]", dialogues)
        pieces += [Piece(type="example_dialog", text=each, owners=(resolve(who),)) for each in said]
    return pieces + [_lore(as_lore(entry), resolve) for entry in several("lore", lore)]


def _plots(plot: str | Mapping[str, str] | None) -> list[tuple[str | None, str]]:
    if isinstance(plot, Mapping):
        return [(some_text("plot key", key), text(f"plot[{key!r}]", content)) for key, content in plot.items()]
    return [(None, "" if plot is None else text("plot", plot))]


def as_lore(entry: Lore | Mapping[str, Any] | str) -> Lore:
    """A lore entry from a record, a table or bare text. Raises `InputError`, which names the problem."""
    if isinstance(entry, Lore):
        return entry
    try:
        return Lore(text=entry) if isinstance(entry, str) else Lore.model_validate(entry)
    except ValidationError as error:
        raise InputError(f"lore entry {entry!r}: {explained(error, ('text', 'key', 'known_by', 'words'))}") from error


def _lore(entry: Lore, resolve: Callable[[str], str]) -> Piece:
    owners = None if entry.known_by is None else tuple(resolve(each) for each in entry.known_by)
    return Piece(type="lore", text=entry.text, owners=owners, lore_key=entry.key, words=entry.words)
