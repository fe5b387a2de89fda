"""Where a fact is kept, and as what: the memory of one listener, or one beyond the story. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Literal

from earwitness import Character, SettledMessage
from earwitness.containers import EVERYBODY, Container, persona_container, user_container
from earwitness.errors import InvalidId
from earwitness.patterns import lazy_pattern
from earwitness.records.character import Cast
from earwitness.records.derived import Derivation

FactScope = Literal["session", "personal", "user"]
MOST_KNOWERS = 100
"""What more than so many heard is kept with each of them, not with the user."""
_HUSHED = lazy_pattern(
    r"whisper|murmur|mutter|under (?:my|his|her|their) breath|quietly|softly|between (?:us|you and me)|secret|confiden"
    r"|(?:do not|don[’']t) tell|flüster|leise|unter uns|geheim|chuchot|tout bas|entre nous|susurr|en voz baja"
    r"|entre nosotros",
    re.IGNORECASE,
)
"""Said to those who are there, and to nobody else."""


def place_of(
    scope: FactScope, cast: Cast, message: SettledMessage, listener: Character, heard: Collection[str]
) -> dict[str, object]:
    """Owner or container of what the speaker of a message says of themselves, and on whose knowledge it rests.

    `heard` are all who heard it.
    """
    speaker = cast[message.speaker]
    try:
        if scope == "user" and speaker.user_id and is_open(cast, message, heard):
            return _registered(user_container(speaker.user_id), EVERYBODY, tuple(sorted(heard)))
        if scope != "session" and speaker.persona_id and listener.kind == "character":
            container = persona_container(speaker.persona_id, listener.personality_id)
            return _registered(container, listener.personality_id, (listener.id,))
    except InvalidId:  # what no container can be named after stays in the story
        pass
    return {"owner": listener.id, "knowers": (listener.id,)}


def with_others(made: Derivation, cast: Cast, message: SettledMessage) -> Derivation:
    """A fact for all who meet a user; where a guard keeps the message from one of those who heard it, one for each of
    the others in their own memory with this persona. Any other fact as it is."""
    if made.registers is None or made.registers.kind != "user":
        return made
    instead: dict[object, Derivation] = {}
    for id in made.knowers:
        where = place_of("personal", cast, message, cast[id], made.knowers)
        one = made.model_copy(update={"container": None, "registers": None, "admits": (), **where})
        instead.setdefault(one.container or one.owner, one)
    return made.model_copy(update={"instead": tuple(instead.values())})


def _registered(container: Container, member: str, knowers: tuple[str, ...]) -> dict[str, object]:
    return {"container": container.name, "registers": container, "admits": (member,), "knowers": knowers}


def is_open(cast: Cast, message: SettledMessage, heard: Collection[str]) -> bool:
    """Whether the whole cast heard all of it, so that it was kept from nobody."""
    is_private = message.message.context == "dm" or message.message.audience is not None or message.degraded
    if is_private or message.heard or message.tellable or _HUSHED.search(message.content):
        return False
    return len(heard) <= MOST_KNOWERS and {*cast.ids} <= {*heard, message.speaker}


def fact_id(session: str, subject: Character, fact: str, version: int) -> str:
    """The same for the same fact about somebody in the same version, wherever it is kept."""
    return digest(subject.user_id or subject.persona_id or f"{session}\n{subject.id}", fact, str(version))


def identity(subject: Character, fact: str, version: int) -> str:
    """What is said again supports the memory of this identity."""
    return digest(subject.id, fact, str(version))


def described(about: str, confidence: float, fact: str, version: int | None) -> Mapping[str, str | float]:
    """The metadata of a fact; `version` is `None` where several may hold side by side."""
    found: dict[str, str | float] = {"about": about, "confidence": confidence, "factId": fact}
    return found if version is None else {**found, "version": version + 1}


def digest(*parts: str) -> str:
    """A short text that stands for these."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=13).hexdigest()
