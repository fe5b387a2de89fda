"""Verdicts of a language model on things that it was shown under labels, as far as they can be understood. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from .scene import one_line


class LabelledVerdict(Protocol):
    """A verdict on one thing."""

    @property
    def label(self) -> str:
        """The thing's label."""
        ...

    @property
    def verdict(self) -> str:
        """The verdict."""
        ...


V = TypeVar("V", bound=LabelledVerdict)


def spelled(synonyms: Mapping[str, str]) -> Callable[[object], object]:
    """Reads a verdict in any letter case, with `_` or `-` for spaces, and by these synonyms."""

    def read(given: object) -> object:
        if not isinstance(given, str):
            return given
        words = " ".join(given.replace("_", " ").replace("-", " ").casefold().split())
        return synonyms.get(words, words)

    return read


def listed_by_label(given: object) -> object:
    """A table by label as a list of tables: models give the one for the other."""
    if not isinstance(given, Mapping):
        return given
    if "label" in given:
        return [given]
    tables = ((label, each if isinstance(each, Mapping) else {"verdict": each}) for label, each in given.items())
    return [{"label": label, **each} for label, each in tables]


def by_label(
    verdicts: Iterable[V], labels: Collection[str], notes: list[str], strictness: Sequence[str] = ()
) -> dict[str, V]:
    """Label → its verdict. Unknown labels are noted; of two verdicts the first counts, or the later one in
    `strictness`."""
    found: dict[str, V] = {}
    for each in verdicts:
        label = each.label.strip().strip("[]").casefold()
        if label not in labels:
            notes.append(f"said {each.verdict!r} of {one_line(each.label)!r}, which it was not asked about; ignored")
        elif label not in found or _is_stricter(each.verdict, found[label].verdict, strictness):
            found[label] = each
    return found


def _is_stricter(one: str, other: str, strictness: Sequence[str]) -> bool:
    return one in strictness and other in strictness and strictness.index(one) > strictness.index(other)
