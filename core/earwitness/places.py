"""Places as paths: `castle/kitchen/pantry` is in `castle/kitchen`, which is in `castle`. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import InputError

SEPARATOR = "/"


def parts(place: str) -> tuple[str, ...]:
    """The places of a path, from the outermost to the innermost: `castle / kitchen/` → `castle`, `kitchen`."""
    return tuple(part for each in place.split(SEPARATOR) if (part := each.strip()))


def normal(place: str) -> str:
    """The path without empty parts and without blanks around its parts."""
    return SEPARATOR.join(parts(place)) if SEPARATOR in place else place.strip()


def holders(place: str) -> tuple[str, ...]:
    """The places that contain this one, from the innermost to the outermost."""
    path = parts(place)
    return tuple(SEPARATOR.join(path[:end]) for end in range(len(path) - 1, 0, -1))


def distance(one: str, other: str) -> int | None:
    """Number of levels between two places if one contains the other; 0 for the same place, `None` if neither does."""
    if one == other:
        return 0
    inner, outer = (one, other) if len(one) > len(other) else (other, one)
    if not inner.startswith(f"{outer}{SEPARATOR}"):
        return None
    return inner.count(SEPARATOR) - outer.count(SEPARATOR)


def resolved(written: str, known: Iterable[str]) -> str:
    """The known place that a full path, or the last parts of one, refers to. An unknown path is a new place.

    Raises `InputError` if several known places end in these parts and none is exactly this path. The error lists them.
    """
    wanted = _words(written)
    fitting = {place: path for place in known if (path := _words(place))[-len(wanted) :] == wanted}
    if (whole := next((place for place, path in fitting.items() if path == wanted), None)) is not None:
        return whole
    if len(fitting) > 1:
        raise InputError(
            f"place {written!r} could mean {' or '.join(map(repr, sorted(fitting)))}. Give the whole path."
        )
    return next(iter(fitting), normal(written))


def destination(written: str, known: Iterable[str]) -> str:
    """The full path of a place on deciding. A name that fits several places by now is a place of its own."""
    try:
        return resolved(written, known)
    except InputError:
        return normal(written)


def _words(place: str) -> tuple[str, ...]:
    """The parts for comparison: letter case is ignored, and `_` equals a blank."""
    return tuple(part.casefold().replace("_", " ") for part in parts(place))
