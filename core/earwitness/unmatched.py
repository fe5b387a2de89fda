"""Filters that match nothing: sentences about a field, or a text in a field, that no memory has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache

from .filters import And, Compare, Filter, In, Not, Or, Scalar
from .records.memory import Memory
from .records.memory_types import FIELDS

_KNOWN = frozenset(FIELDS)
MOST = 12
"""The most texts of a field that are listed."""
Test = Compare | In


def unmatched(filter: Filter, memories: Sequence[Memory]) -> tuple[str, ...]:
    """A sentence for each test of a field, or of a text in a field, that none of these memories has. Pure."""
    if not memories:
        return ()
    return tuple(dict.fromkeys(why for test in tests(filter) if (why := _why(test, memories))))


def tests(filter: Filter) -> Iterator[Test]:
    """The comparisons that a filter is made of."""
    match filter:
        case And(parts) | Or(parts):
            for part in parts:
                yield from tests(part)
        case Not(part):
            yield from tests(part)
        case _:
            yield filter


def strange_fields(filter: Filter, seen: Iterable[str]) -> list[str]:
    """Fields of the filter that are neither Earwitness's own nor among those `seen`. Pure."""
    known = {*FIELDS, *seen}
    return list(dict.fromkeys(test.field for test in tests(filter) if test.field not in known))


def has(field: str) -> Filter:
    """A filter that holds for every memory with this field, whatever its value."""
    values: tuple[Scalar, ...] = ("", 0, True)
    return Or(tuple(Compare(field, operator, value) for value in values for operator in ("==", "!=")))


def no_such_field(field: str, known: Iterable[str] = FIELDS) -> str:
    """The sentence for a field, such as `no memory here has 'gameday'. Did you mean 'gameDay'?`."""
    return f"no memory here has {field!r}.{_meant(field, sorted(known))}"


def is_like_a_known_one(field: str) -> bool:
    """Whether a field that is not Earwitness's own looks like one that is, and is probably a misspelling of it."""
    return bool(_meant(field, sorted(FIELDS)))


def misspelt(filter: Filter, own: Iterable[str] = ()) -> dict[str, str]:
    """Fields of the filter that are one of Earwitness's but for case or one letter → the field meant. Pure.

    `own` are fields that are spelled as meant.
    """
    strange = (test.field for test in tests(filter) if test.field not in _KNOWN)
    return {field: meant for field in strange if field not in own and (meant := _one_letter_off(field))}


@lru_cache(maxsize=1024)
def _one_letter_off(field: str) -> str | None:
    """The one of Earwitness's fields that it differs from in at most one letter."""
    return next((each for each in FIELDS if differ_little(_folded(field), _folded(each))), None)


def _folded(field: str) -> str:
    return field.replace("_", "").casefold()


def differ_little(one: str, other: str) -> bool:
    """Whether both are equal but for one letter more, less or otherwise, or two that are exchanged."""
    short, long = sorted((one, other), key=len)
    same = next((at for at, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    rest, more = short[same:], long[same:]
    if len(short) == len(long):
        return rest[1:] == more[1:] or (rest[:2] == more[1::-1] and rest[2:] == more[2:])
    return len(long) == len(short) + 1 and rest == more[1:]


def _why(test: Test, memories: Sequence[Memory]) -> str | None:
    fields = sorted({field for memory in memories for field in memory.metadata})
    if test.field not in fields:
        return f"{no_such_field(test.field, fields)} They have: {', '.join(fields)}"
    if isinstance(test, In) or test.operator != "==":
        return None
    held = _texts(test.field, memories)
    if not held or test.value in held:
        return None
    return f"{test.field} is never {test.value!r} here.{_meant(str(test.value), held)} It is: {_some(held)}"


def _texts(field: str, memories: Sequence[Memory]) -> list[str]:
    values = [memory.metadata[field] for memory in memories if field in memory.metadata]
    every = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return sorted({each for each in every if isinstance(each, str)})


def _meant(given: str, valid: Sequence[str]) -> str:
    folded = {each.casefold(): each for each in valid}
    close = get_close_matches(given.casefold(), folded, n=1)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MOST]) + (", …" if len(texts) > MOST else "")
