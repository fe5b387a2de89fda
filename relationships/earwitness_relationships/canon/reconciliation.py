"""Reconciliation: what of a bubble goes where, and which versions it meets there. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from earwitness import Cast, Character, Container, Memory
from earwitness.containers import global_canon_container, persona_container
from earwitness.formats import message_text_of
from earwitness.records.memory_types import MESSAGE, MetaValue

from ..personas.lived import is_played
from .records import KeepAs, KeptMemory, Mode
from .versions import action, others

RECONCILED = "reconciled"
"""The type of a memory that was kept of a bubble."""
WHERE = ("contextType", "channelId", "guildId")


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


def candidates(cast: Cast, memories: Mapping[str, Sequence[Memory]], keep_as: KeepAs) -> list[Candidate]:
    """The memories of a bubble by character id, each with the containers that it may go to.

    Personal canon receives what a character lived with a persona, and what it noted where there is one persona only.
    """
    members = [each for each in cast if not is_played(each)]
    return [
        Candidate(memory, member, container, text_of(memory, cast))
        for member in members
        for memory in memories.get(member.id, ())
        if not memory.permanent
        for container in _containers(memory, member, cast, keep_as)
    ]


def text_of(memory: Memory, cast: Cast) -> str:
    """What a memory says without its format: for a message, who said what."""
    if memory.type != MESSAGE:
        return memory.text
    speaker = str(memory.metadata.get("speaker", ""))
    name = cast[speaker].name if speaker in cast else speaker
    return f"{name}: {message_text_of(memory.content)}"


def kept(
    found: Iterable[Candidate], there: Mapping[str, Sequence[Memory]], bubble: str, keep_as: KeepAs, mode: Mode
) -> Iterator[KeptMemory]:
    """What is to be done with each candidate, given what the containers hold."""
    said: dict[str, set[str]] = {}
    for each in found:
        held = there.get(each.container.name, ())
        versions = others(each.text, held)
        taken = said.setdefault(each.container.name, set())
        what = "skip" if each.text.casefold() in taken else action(each.text, held, versions, mode)
        taken.add(each.text.casefold())
        yield KeptMemory(
            memory_id=each.memory.id,
            character=each.member.id,
            text=each.text,
            container=each.container.name,
            action=what,
            versions=tuple(version.id for version in versions),
            version=1 + len(versions),
            metadata=_metadata(each, versions, bubble, keep_as),
        )


def _containers(memory: Memory, member: Character, cast: Cast, keep_as: KeepAs) -> list[Container]:
    if keep_as == "discard":
        return []
    if keep_as == "global":
        return [global_canon_container(member.personality_id)]
    personas = [each for each in cast if each.persona_id]
    heard = memory.metadata.get("participants")
    if memory.type == MESSAGE and isinstance(heard, list):
        personas = [each for each in personas if each.id in heard]
    elif len(personas) > 1:
        personas = []
    return [persona_container(str(each.persona_id), member.personality_id) for each in personas]


def _metadata(each: Candidate, versions: Sequence[Memory], bubble: str, keep_as: KeepAs) -> dict[str, MetaValue]:
    found = {key: value for key, value in each.memory.metadata.items() if key in WHERE}
    of: dict[str, MetaValue] = {"versionOf": versions[0].id} if versions else {}
    return {
        **found,
        **of,
        "version": 1 + len(versions),
        "canonScope": keep_as,
        "bubble": bubble,
        "personalityId": each.member.personality_id,
        "reconciledFrom": each.memory.id,
    }
