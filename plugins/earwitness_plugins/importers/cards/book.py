"""Standalone lorebooks: SillyTavern, V3, NovelAI, Agnai, Risu."""

from __future__ import annotations

from earwitness.imports import Imported
from earwitness_plugins.importers.files.lenient import LenientObject, lenient_object

from .entries import MORE_WORDS, TEXT, WORDS, entries

_ENTRY = {*TEXT, *WORDS, *MORE_WORDS}


def is_lorebook(value: object) -> bool:
    """Whether a JSON document is a lorebook: it says so, or has entries with keys or content."""
    if not isinstance(value, dict):
        return False
    if value.get("spec") == "lorebook_v3" or "lorebookVersion" in value or value.get("type") == "risu":
        return True
    found = value.get("entries")
    if not isinstance(found, dict | list):
        return False
    items = list(found.values() if isinstance(found, dict) else found)
    return not items or any(isinstance(each, dict) and each.keys() & _ENTRY for each in items)


def imported(value: object, file: str, stem: str, repairs: list[str]) -> Imported:
    """The entries of a lorebook: common knowledge, except for entries that name who knows them."""
    book, list_key = _book(lenient_object(value, file, repairs))
    title = book.text("name").strip() or stem
    return Imported(lore=entries(book, list_key, title), repairs=tuple(repairs))


def _book(root: LenientObject) -> tuple[LenientObject, str]:
    """The object that holds the entries, and their key."""
    if root.values.get("type") == "risu":
        return root, "data"
    inner = root.table("data") if root.values.get("spec") == "lorebook_v3" else None
    return inner or root, "entries"
