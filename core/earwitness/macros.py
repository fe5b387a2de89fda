"""Macros for names, as character cards spell them: `{{user}}` is the user's persona, `{{char}}` the character. Pure.

What a host hands over keeps its macros in the journal; memories hold the names. When a persona joins or changes, they
are written with the new name.
"""

from __future__ import annotations

from .patterns import lazy_pattern
from .records.character import Cast, Character
from .records.journal import Piece

USER = "User"
"""The name for `{{user}}` as long as the cast has no persona."""
_USER = lazy_pattern(r"(?i)\{\{\s*user\s*\}\}")
_CHARACTER = lazy_pattern(r"(?i)\{\{\s*(?:char|bot)\s*\}\}")


def has_macro(text: str) -> bool:
    """Whether the text holds a macro for a name."""
    return "{{" in text and bool(_USER.search(text) or _CHARACTER.search(text))


def in_message(content: str, speaker: str, cast: Cast) -> str:
    """A message with names in it: `{{char}}` is its speaker, unless a persona or a narrator speaks."""
    if not has_macro(content):
        return content
    who = cast.by_id.get(speaker)
    return _with_names(content, _user(who, cast), _character(who, cast))


def piece_has_macro(piece: Piece) -> bool:
    """Whether the text of a prepared piece, or a word that finds it, holds a macro for a name."""
    return any(map(has_macro, (piece.text, *piece.words)))


def in_piece(piece: Piece, reader: str, cast: Cast) -> Piece:
    """A prepared piece for one container: `{{char}}` is its only owner, or else the character who reads it."""
    if not piece_has_macro(piece):
        return piece
    owner = cast.by_id.get(piece.owners[0]) if piece.owners and len(piece.owners) == 1 else None
    user, character = _user(owner, cast), _character(owner or cast.by_id.get(reader), cast)
    words = tuple(_with_names(word, user, character) for word in piece.words)
    return piece.model_copy(update={"text": _with_names(piece.text, user, character), "words": words})


def user_name(cast: Cast) -> str:
    """The persona that `{{user}}` means: the first who joined."""
    return next((member.name for member in cast if member.kind == "persona"), USER)


def renames(before: Cast, after: Cast) -> bool:
    """Whether macros may stand for other names in the second cast: the user's, or a character's."""
    if (user_name(before), _character(None, before)) != (user_name(after), _character(None, after)):
        return True
    return any(member.id in before and before[member.id].name != member.name for member in after)


def _with_names(text: str, user: str, character: str | None) -> str:
    """The text with names in it. `{{char}}` stays where it may be one of several."""
    named = text if character is None else _CHARACTER.sub(lambda _: character, text)
    return _USER.sub(lambda _: user, named)


def _user(owner: Character | None, cast: Cast) -> str:
    """A persona is the user of what she says herself, and of her own card."""
    return owner.name if owner is not None and owner.kind == "persona" else user_name(cast)


def _character(who: Character | None, cast: Cast) -> str | None:
    if who is not None and who.kind == "character":
        return who.name
    names = [member.name for member in cast if member.kind == "character"]
    return names[0] if len(names) == 1 else None
