"""How somebody came to know something. This is the only place that puts it into words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .base import Record
from .memory_types import MESSAGE, OUR_TYPES, Metadata

Way = Literal["said", "heard", "witnessed", "told", "noted", "news", "did", "before"]


class Learned(Record):
    """How somebody came to know something. As text: `said it`, `heard it from alice`, `was told by bob`, …."""

    way: Way
    """They `said` it, `heard` it said, `witnessed` it said to others, or were `told` by somebody who knew. It was
    `news` of the world, or they `did` it, where the news are about themselves. They `noted` it (a derived memory). Or
    they knew it from `before` the story."""
    teller: str | None = None
    """Id of the character who said or passed it on; `None` = nobody did."""

    def __str__(self) -> str:
        return self.words()

    def words(self, name: Callable[[str], str] = str, what: str = "it") -> str:
        """The same in words. `name` turns a character id into the name to show; `what` says what was learned."""
        return self._by_nobody(what) if self.teller is None else self._by(name(self.teller), what)

    def _by(self, teller: str, what: str) -> str:
        thing = "" if what == "it" else f" {what}"
        words = {"heard": f"heard {what} from {teller}", "witnessed": f"witnessed {teller} saying {what}"}
        words["told"] = f"was told{thing} by {teller}"
        words["news"] = f"learned {what} as news of {teller}"
        return words.get(self.way) or self._by_nobody(what)

    def _by_nobody(self, what: str) -> str:
        thing = "" if what == "it" else f" {what}"
        words: dict[Way, str] = {
            "said": f"said {what}",
            "heard": f"heard{thing}" if thing else "was there",
            "witnessed": f"saw {what} happen",
            "told": f"was told{thing} by somebody",
            "noted": f"noted {what}",
            "news": f"learned {what} as news of the world",
            "did": f"did {what}",
            "before": f"knew {what} before the story",
        }
        return words[self.way]


def learned(metadata: Metadata, how: str, shared_from: str | None) -> Learned:
    """How the owner of a memory came to know it, by its metadata and the `how` and `shared_from` of a support."""
    if metadata.get("permanent"):
        return Learned(way="before")
    speaker = metadata.get("speaker")
    said_by = speaker if isinstance(speaker, str) else None
    if metadata.get("isSpeaker"):
        return Learned(way="said", teller=said_by)
    if how == "shared":
        return Learned(way="told", teller=shared_from)
    if said_by is None and how != "witnessed" and metadata.get("type", MESSAGE) not in OUR_TYPES:
        return Learned(way="noted")
    return Learned(way="witnessed" if how == "witnessed" else "heard", teller=said_by)
