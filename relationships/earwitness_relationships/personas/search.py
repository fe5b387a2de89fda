"""`ew.personas`: what a persona has lived, as its user may search it. No character is ever asked or told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from earwitness import Container, Earwitness, Hit
from earwitness.containers import persona_container
from earwitness.errors import InputError
from earwitness.filters import EVERYTHING, And, Compare, Filter, In, Or, Scalar, as_filter, equals
from earwitness.records.memory import STRENGTH, Interaction
from earwitness.validation.arguments import several, some_text, text, texts

Wanted = Scalar | Sequence[Scalar]
"""A value that metadata must have, or several of which it must have one."""


INTERACTION = frozenset({"interaction_type", "interactionType"})
"""The spellings of the metadata that says how the personality knows it."""


class Personas:
    """The personas of users, in all stories. Each personality that a persona has met is a wall of its own."""

    def __init__(self, ew: Earwitness) -> None:
        self._ew = ew

    async def collection(self, persona: str) -> tuple[Container, ...]:
        """The containers of a persona: one for each personality it has lived anything with. Raises `InputError`."""
        return await self._ew.containers(kind="persona", owner=some_text("persona", persona))

    async def search(
        self,
        query: str,
        *,
        persona: str,
        personality: str | None = None,
        interactions: Interaction | Iterable[Interaction] | None = None,
        pantheon: str | Iterable[str] | None = None,
        limit: int = 10,
        filter: Filter | str = EVERYTHING,
        **metadata: Wanted,
    ) -> tuple[Hit, ...]:
        """What a persona has lived, best first: with one `personality`, or with all of them (the user's own view).

        By default, what they lived together themselves (`direct`). `interactions` names others: `shared` is what the
        personality was told of the persona, `witnessed` what it saw. With a `pantheon` (its slug, or several),
        everything that reached the personality directly or through that pantheon. Any metadata narrows it, in either
        spelling, lists included: `context_type=["dm", "private_channel"]`; an `interaction_type` there is as good as
        `interactions`. Several containers are searched one by one, and merged by rank. Raises `InvalidFilter`, and
        `InputError` for an argument that cannot be used, such as an interaction that is none or a limit below 1.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise InputError(f"limit = {limit!r} must be a whole number of at least 1.")
        ways = STRENGTH if interactions is None and not INTERACTION.isdisjoint(metadata) else interactions
        test = And((as_filter(filter), _of(ways, pantheon), *_metadata(metadata)))
        query = text("query", query)
        found = [
            await self._ew.engine.reading.search(each.name, query, filter=test, limit=limit)
            for each in await self._containers(persona, personality)
        ]
        return tuple(merged(found)[:limit])

    async def _containers(self, persona: str, personality: str | None) -> Sequence[Container]:
        every = await self.collection(persona)
        if personality is None:
            return every
        wanted = persona_container(persona, some_text("personality", personality))
        return [each for each in every if each == wanted]


def merged(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several containers, the best of each first: their scores are not comparable. Pure."""
    if len(found) == 1:
        return list(found[0])
    ranked = [(rank, at, hit) for at, hits in enumerate(found) for rank, hit in enumerate(hits, 1)]
    return [
        hit.model_copy(update={"score": 1 / rank, "parts": {**hit.parts, "rank": 1 / rank}})
        for rank, _, hit in sorted(ranked, key=lambda each: each[:2])
    ]


def _of(interactions: Interaction | Iterable[Interaction] | None, pantheon: str | Iterable[str] | None) -> Filter:
    """The test for ways in which the personality knows it; all ways if a pantheon is named."""
    default = ("direct",) if pantheon is None else STRENGTH
    ways = default if interactions is None else texts("interactions", interactions)
    if wrong := next((each for each in ways if each not in STRENGTH), None):
        raise InputError(f"interactions: {wrong!r} is not one of {', '.join(STRENGTH)}.")
    if pantheon is None:
        return In("interactionType", ways)
    slugs = tuple(some_text("pantheon", each) for each in several("pantheon", pantheon))
    through = Or((equals("interactionType", "direct"), In("pantheonId", slugs)))
    return And((In("interactionType", ways), through))


def _metadata(wanted: Mapping[str, Wanted]) -> list[Filter]:
    """A test for each field. Raises `InvalidFilter` and `InputError` for a value that no field can have."""
    return [_one_of(field, value) for field, value in wanted.items()]


def _one_of(field: str, wanted: Wanted) -> Filter:
    if isinstance(wanted, Scalar):
        return Compare(field, "==", wanted)
    values = several(field, wanted)
    texts = tuple(each for each in values if isinstance(each, str))
    if len(texts) == len(values):
        return In(field, texts)
    return Or(tuple(Compare(field, "==", each) for each in values))
