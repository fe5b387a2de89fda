"""Macros for names in cards: `{{char}}`, `{{user}}` and their older spellings."""

from __future__ import annotations

from earwitness.patterns import lazy_pattern

_CHARACTER = lazy_pattern(r"(?i)\{\{\s*(?:char|bot)\s*\}\}|<(?:bot|char)>")
_USER = lazy_pattern(r"(?i)\{\{\s*user\s*\}\}|<user>")


def with_character(text: str, name: str) -> str:
    """The text with the character's name in it."""
    return _CHARACTER.sub(lambda _: name, text)


def with_user(text: str, name: str = "{{user}}") -> str:
    """The text with the user's name in it; without one, with the usual macro in place of older spellings."""
    return _USER.sub(lambda _: name, text)


def names_user(text: str) -> bool:
    """Whether the text mentions the user."""
    return _USER.search(text) is not None
