"""Display names of characters: what no new name may hold, since a memory or prompt shows it before what was said."""

from __future__ import annotations

from unicodedata import category, normalize

from .errors import InputError, quoted
from .ids import without_invisible
from .invisible import REORDERING
from .patterns import lazy_pattern

_BREAKS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_HEADING = lazy_pattern(r"#\s*(?=#)")


def check_name(what: str, name: str) -> str:
    """Return a new display name, or raise `InputError` if it could forge a memory or a heading where it is shown."""
    fault = _fault(name) or ("holds a colon, which ends a name" if ":" in _plain(name) else None)
    return _faultless(what, name, fault)


def check_alias(what: str, name: str) -> str:
    """Return a new alias, or raise `InputError`. It may hold a colon, since no memory shows it."""
    return _faultless(what, name, _fault(name))


def usable_name(name: str, default: str = "Somebody") -> str:
    """A name from a file in one line, without what `check_name` refuses, and without invisible characters."""
    spaced = "".join([" " if each.isspace() or category(each) in _BREAKS else each for each in name])
    shown = "".join([" " if ":" in normalize("NFKC", each) else each for each in without_invisible(spaced)])
    shown = _HEADING.sub("", shown if not _HEADING.search(_plain(shown)) else _plain(shown))
    return " ".join(shown.split()) or default


def _fault(name: str) -> str | None:
    """What is wrong with a name, if anything."""
    plain = _plain(name)
    if not plain.strip():
        return "is empty"
    for each in name if not name.isprintable() else "":
        if category(each) in _BREAKS or each in REORDERING:
            return f"holds U+{ord(each):04X}, which breaks or turns the line it is shown in"
    return "holds '##', a section's heading in prompts" if _HEADING.search(plain) else None


def _faultless(what: str, name: str, fault: str | None) -> str:
    if fault:
        raise InputError(f"{what} {quoted(name)} cannot be used: it {fault}. Use one line of visible characters.")
    return name


def _plain(name: str) -> str:
    """The name as a reader takes it."""
    return name if name.isascii() else normalize("NFKC", without_invisible(name))
