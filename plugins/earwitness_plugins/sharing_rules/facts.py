"""The sharing rule `facts`: what people plainly say of themselves becomes a memory of those who heard it.

It is a sharing rule because only these learn who perceived which words of a settled message, without thoughts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b

from pydantic import JsonValue

from earwitness import Character, Settings, SharingAnswer, SharingEvent
from earwitness.containers import EVERYBODY, Container, persona_container, user_container
from earwitness.errors import InvalidId
from earwitness.patterns import lazy_pattern
from earwitness.records.derived import Derivation

from ..facts.records import SaidFact
from ..facts.settings import FactsSettings
from ..facts.talk import facts_in
from ..facts.versions import note, version_of

RULE = "facts"
_HUSHED = lazy_pattern(
    r"whisper|murmur|mutter|under (?:my|his|her|their) breath|quietly|softly|between (?:us|you and me)|secret|confiden"
    r"|(?:do not|don[’']t) tell|flüster|leise|unter uns|geheim|chuchot|tout bas|entre nous|susurr|en voz baja"
    r"|entre nosotros",
    re.IGNORECASE,
)
"""Said to those who are there, and to nobody else."""


class FactsFromTalk:
    """Keeps what a speaker says of themselves. Each fact rests on its message, and goes with it."""

    def __init__(self, *, settings: Settings) -> None:
        """Reads the table `[facts]`; without it, its defaults count."""
        self._settings = settings.table(FactsSettings)

    def share(self, event: SharingEvent) -> SharingAnswer | None:
        """Nobody else learns of the message; those who heard the fact remember it."""
        message = event.message
        speaker = event.cast.resolve(message.speaker)
        if event.arrived or message.disguises or speaker is None or speaker.kind == "narrator":
            return None
        heard = {id: self._facts(message.heard_by(id)) for id in message.participants if id != message.speaker}
        listeners = {id: each for id, each in heard.items() if each and id in event.cast}
        if not listeners:
            return None
        return SharingAnswer(derived=self._derived(event, listeners), facts=_notes(event, listeners))

    def _facts(self, text: str) -> tuple[SaidFact, ...]:
        return tuple(each for each in facts_in(text) if each.confidence >= self._settings.confidence)

    def _derived(self, event: SharingEvent, listeners: Mapping[str, tuple[SaidFact, ...]]) -> tuple[Derivation, ...]:
        noted = event.state.facts_of(RULE)
        made: dict[tuple[str | None, str | None], Derivation] = {}
        for id, facts in listeners.items():
            where = self._where(event, event.cast[id], frozenset(listeners))
            whose = {**where, "owner": None if where else id}
            for fact in facts:
                version = version_of(fact, event.message.speaker, id, noted)
                one = _derivation(event, fact, version, {"knowers": (id,), **whose})
                made.setdefault((one.container or one.owner, one.identity), one)
        return tuple(made.values())

    def _where(self, event: SharingEvent, listener: Character, heard: frozenset[str]) -> dict[str, object]:
        """The container beyond the story, with its members; nothing for that of the listener in this story."""
        speaker, scope = event.cast[event.message.speaker], self._settings.scope
        try:
            if scope == "user" and speaker.user_id and _is_open(event, heard):
                return {**_registered(user_container(speaker.user_id), EVERYBODY), "knowers": tuple(sorted(heard))}
            if scope != "session" and speaker.persona_id and listener.kind == "character":
                container = persona_container(speaker.persona_id, listener.personality_id)
                return _registered(container, listener.personality_id)
        except InvalidId:  # what no container can be named after stays in the story
            pass
        return {}


def _registered(container: Container, member: str) -> dict[str, object]:
    return {"container": container.name, "registers": container, "admits": (member,)}


def _is_open(event: SharingEvent, heard: frozenset[str]) -> bool:
    """Whether the whole cast heard all of it, so that it was kept from nobody."""
    message = event.message
    is_private = message.message.context == "dm" or message.message.audience is not None or message.degraded
    if is_private or message.heard or message.tellable or _HUSHED.search(message.content):
        return False
    return {*event.cast.ids} <= {*heard, message.speaker}


def _derivation(event: SharingEvent, fact: SaidFact, version: int, where: Mapping[str, object]) -> Derivation:
    speaker = event.cast[event.message.speaker]
    whose = speaker.user_id or speaker.persona_id or f"{event.session}\n{speaker.id}"
    more = {"version": version + 1} if fact.replaces else {}
    return Derivation(
        content=fact.sentence(speaker.name, changed=version > 0),
        rests_on=(event.message.key,),
        rule=RULE,
        identity=_digest(speaker.id, fact.id, str(version)),
        metadata={
            "about": fact.about,
            "confidence": fact.confidence,
            "factId": _digest(whose, fact.id, str(version)),
            **more,
        },
        **where,  # type: ignore[arg-type]
    )


def _notes(event: SharingEvent, listeners: Mapping[str, tuple[SaidFact, ...]]) -> tuple[JsonValue, ...]:
    """Who heard what, of the facts of which only one holds at a time."""
    facts = {each.id: each for facts in listeners.values() for each in facts if each.replaces}
    heard = {key: [id for id, facts in listeners.items() if key in {each.id for each in facts}] for key in facts}
    return tuple(note(fact, event.message.speaker, heard[key]) for key, fact in facts.items())


def _digest(*parts: str) -> str:
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=13).hexdigest()
