"""Reconciliation: what of a bubble goes where, and which versions it meets there. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from earwitness import Cast, Character, Container, Memory
from earwitness.containers import global_canon_container, persona_container
from earwitness.formats import message_text_of
from earwitness.records.channel import context_of
from earwitness.records.memory import STRENGTH, Interaction
from earwitness.records.memory_types import MESSAGE, MetaValue

from ..personas.lived import is_played
from .kept import ORIGIN, KeptBefore
from .publication import Publication, published
from .records import KeepAs, KeptAction, KeptMemory, Mode
from .versions import action, folded, others, unsaid

WHERE = ("contextType", "channelId", "guildId")
TELLING_FIELDS = ("pantheonId", "hop", "strength")
"""What rules note with what they tell on."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory of a bubble, and a container that it may go to."""

    memory: Memory
    """The memory, in the bubble."""
    member: Character
    """Who has it."""
    container: Container
    """Where it may go."""
    text: str
    """What it will say there."""
    user: str | None = None
    """Id of the user behind the persona, if it goes to a persona's container."""


def candidates(
    cast: Cast, memories: Mapping[str, Sequence[Memory]], keep_as: KeepAs, only: Mapping[str, str] | None = None
) -> list[Candidate]:
    """The memories of a bubble by character id, each with the containers that it may go to; `only` those with these
    ids, in other words where some are given.

    Personal canon receives what a character lived with a persona, and what it noted where there is one persona only.
    """
    return [
        Candidate(memory, member, container, (only or {}).get(memory.id) or text_of(memory, cast), user)
        for member in cast
        for memory in memories.get(member.id, ())
        if only is None or memory.id in only
        for container, user in _containers(memory, member, cast, keep_as)
    ]


def passed_over(cast: Cast, memories: Mapping[str, Sequence[Memory]], keep_as: KeepAs) -> tuple[int, str]:
    """How many memories of a bubble can go nowhere, and why."""
    there = [(cast[id], memory) for id, held in memories.items() for memory in held]
    if not there:
        return 0, "nobody remembers anything of it"
    if keep_as == "discard":
        return len(there), "it is discarded"
    left = sum(not _containers(memory, member, cast, keep_as) for member, memory in there)
    if not any(each.persona_id for each in cast):
        return left, "personal canon is what a character lived with a persona, and nobody in it has a persona_id"
    return left, "personal canon is what a character lived with a persona, and no persona was there, or several"


def text_of(memory: Memory, cast: Cast) -> str:
    """What a memory says without its format: for a message, who said what."""
    if memory.type != MESSAGE:
        return memory.text
    speaker = str(memory.metadata.get("speaker", ""))
    name = cast.name_of(speaker)
    return f"{name}: {message_text_of(memory.content)}"


def kept(
    found: Iterable[Candidate],
    there: Mapping[str, Sequence[Memory]],
    bubble: str,
    keep_as: KeepAs,
    mode: Mode,
    publication: Publication,
    before: KeptBefore,
) -> Iterator[KeptMemory]:
    """What is to be done with each candidate, given what the containers hold."""
    said: dict[str, set[str]] = {}
    every = [*found]
    in_bubble = _said_by_container(every)
    for each in every:
        held = there.get(each.container.name, ())
        versions = others(each.text, held)
        replaced = unsaid(in_bubble[each.container.name], versions) if mode == "replace" else []
        taken = said.setdefault(each.container.name, set())
        why = publication.withheld(each.memory) if keep_as == "global" else None
        what = action(each.text, held, versions, replaced)
        is_kept = what == "skip" and before.may_support(each.container.name, each.text, each.memory.id)
        if is_kept or (what != "skip" and each.text.casefold() in taken):
            what = "support"
        if what != "skip" and why:
            yield _kept(each, "withhold", (), bubble, keep_as, why)
            continue
        taken.add(each.text.casefold())
        note = published(each.memory) if keep_as == "global" and what != "skip" else ""
        made = _kept(each, what, versions, bubble, keep_as, note)
        yield made.model_copy(update={"versions": tuple(old.id for old in replaced)}) if what == "replace" else made


def _said_by_container(found: Iterable[Candidate]) -> dict[str, set[str]]:
    """What a bubble itself says in each container."""
    said: dict[str, set[str]] = {}
    for each in found:
        said.setdefault(each.container.name, set()).add(folded(each.text))
    return said


def _kept(
    each: Candidate, what: KeptAction, versions: Sequence[Memory], bubble: str, keep_as: KeepAs, note: str
) -> KeptMemory:
    teller = each.memory.metadata.get("sharedFrom")
    return KeptMemory(
        memory_id=each.memory.id,
        character=each.member.id,
        text=each.text,
        container=each.container.name,
        action=what,
        versions=tuple(version.id for version in versions),
        version=1 + len(versions),
        how=how_of(each.memory),
        shared_from=teller if isinstance(teller, str) else None,
        note=note,
        metadata=_metadata(each, versions, bubble, keep_as),
    )


def how_of(memory: Memory) -> Interaction:
    """How its owner came to know it."""
    return next((way for way in STRENGTH if way == memory.metadata.get("interactionType")), "direct")


def _containers(memory: Memory, member: Character, cast: Cast, keep_as: KeepAs) -> list[tuple[Container, str | None]]:
    """The containers that a memory may go to, with the users of those that are of personas."""
    if keep_as == "discard":
        return []
    if keep_as == "global":
        return [(global_canon_container(member.personality_id), None)]
    personas = [each for each in cast if each.persona_id]
    heard = memory.metadata.get("participants")
    if memory.type == MESSAGE and isinstance(heard, list):
        personas = [each for each in personas if each.id in heard]
    elif len(personas) > 1:
        personas = []
    return [(persona_container(str(each.persona_id), member.personality_id), each.user_id) for each in personas]


def _metadata(each: Candidate, versions: Sequence[Memory], bubble: str, keep_as: KeepAs) -> dict[str, MetaValue]:
    """What is noted with it. What becomes public was learned somewhere, and is no longer tied to that."""
    old = each.memory.metadata
    where = {key: value for key, value in old.items() if key in WHERE}
    more: dict[str, MetaValue] = {key: value for key, value in old.items() if key in TELLING_FIELDS}
    if versions:
        more["versionOf"] = versions[0].id
    if each.user is not None:
        more["userId"] = each.user
    if isinstance(made := old.get("timestamp"), str):
        more["createdAt"] = made
    return {
        **({"publishedFrom": context_of(old)} if keep_as == "global" else where),
        **more,
        "version": 1 + len(versions),
        "canonScope": keep_as,
        "bubble": bubble,
        "personalityId": each.member.personality_id,
        ORIGIN: each.memory.id,
    }


def members_of(cast: Cast) -> list[Character]:
    """Those whose memories are reconciled: the characters that nobody plays."""
    return [each for each in cast if not is_played(each)]
