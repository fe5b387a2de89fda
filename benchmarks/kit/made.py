"""Made-up memories: real words as frequent as words are, in sentences that nobody wrote. The same for every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earwitness.formats import character_memory
from earwitness.words import plain
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.embedders.table import SHIPPED, read_table

SPEAKERS = ("Alice", "Bob", "Charlie", "Dora", "Edgar", "Fiona", "Gustav", "Helen")
_WORDS = 20_000
_BATCH = 2_000

Vector = NDArray[np.float32]


class Row(NamedTuple):
    """A memory, with the vector that every contender gets."""

    container: str
    id: str
    text: str
    """As a character's container keeps it."""
    day: int
    vector: Vector
    """Of length 1, shape (256,)."""

    @property
    def metadata(self) -> dict[str, Any]:
        """As END writes it, in short."""
        return {"type": "message", "gameDay": self.day, "learnedDay": self.day, "messageIds": [self.id]}

    @property
    def words(self) -> str:
        """What of the text is worth searching, for contenders that do not know our headings."""
        return plain(self.text)


class Question(NamedTuple):
    """A query with its vector."""

    text: str
    vector: Vector


class Span(NamedTuple):
    """So many memories for one container; cheap to send to another process, which makes them itself."""

    container: str
    first: int
    count: int


@cache
def embedder() -> StaticEmbedder:
    """The one that all contenders get their vectors from."""
    return StaticEmbedder()


@cache
def _vocabulary() -> tuple[NDArray[np.str_], NDArray[np.float64]]:
    """Words by rank, and how much of a text the words up to each make up (Zipf's law)."""
    words = [word for word in read_table(SHIPPED).vocabulary if word.isalpha() and word.isascii() and len(word) > 1]
    shares = 1 / (np.arange(min(_WORDS, len(words))) + 2.7)
    return np.array(words[:_WORDS]), np.cumsum(shares / shares.sum())


def sentences(first: int, count: int, *, shortest: int = 6, longest: int = 30) -> list[str]:
    """Sentences by number; one number is always the same sentence."""
    words, shares = _vocabulary()
    made = []
    for number in range(first, first + count):
        generator = np.random.default_rng(number)
        length = int(generator.integers(shortest, longest + 1))
        places = np.searchsorted(shares, generator.random(length)).clip(max=len(words) - 1)
        made.append(" ".join(words[places].tolist()))
    return made


def questions(count: int) -> list[Question]:
    """Questions of 4 to 10 words."""
    texts = [f"what about {text}?" for text in sentences(10**9, count, shortest=4, longest=10)]
    return [Question(text, vector) for text, vector in zip(texts, embedder().embed(texts), strict=True)]


def batches(spans: Sequence[Span]) -> Iterator[list[Row]]:
    """The memories of spans, some thousand at a time."""
    batch: list[Row] = []
    for span in spans:
        for start in range(0, span.count, _BATCH):
            batch += rows(Span(span.container, span.first + start, min(_BATCH, span.count - start)))
            if len(batch) >= _BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def rows(span: Span) -> list[Row]:
    """The memories of a span, a hundred to a game day."""
    texts = [
        character_memory(SPEAKERS[(span.first + place) % len(SPEAKERS)], said, _day(span, place), _day(span, place))
        for place, said in enumerate(sentences(span.first, span.count))
    ]
    vectors = embedder().embed([plain(text) for text in texts])
    return [
        Row(span.container, f"m{span.first + place}", text, _day(span, place), vectors[place])
        for place, text in enumerate(texts)
    ]


def _day(span: Span, place: int) -> int:
    return (span.first + place) // 100


def others(count: int, *, each: int = 100, first: int = 10**7) -> list[Span]:
    """So many memories in containers of a hundred, which nobody asks."""
    return [Span(f"others-{start // each}", first + start, min(each, count - start)) for start in range(0, count, each)]


def turn(number: int) -> list[Row]:
    """What END writes in one turn: two messages for five characters and the world, 12 memories in 6 containers."""
    said = sentences(2 * 10**9 + 2 * number, 2)
    made = [
        (name, f"t{number}-{part}-{name}", character_memory(SPEAKERS[part], text, number, number))
        for part, text in enumerate(said)
        for name in ("world", *SPEAKERS[:5])
    ]
    vectors = embedder().embed([plain(text) for _, _, text in made])
    return [
        Row(f"cast-{name}", id, text, number, vector) for (name, id, text), vector in zip(made, vectors, strict=True)
    ]
