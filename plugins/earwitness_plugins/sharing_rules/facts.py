"""The sharing rule `facts`: what people plainly say of themselves becomes a memory of those who heard it.

It is a sharing rule because only these learn who perceived which words of a settled message, without thoughts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from earwitness import Settings, SharingAnswer, SharingEvent
from earwitness.loading.kinds import CORE_BY_NAME
from earwitness.records.derived import Derivation

from ..facts.places import described, fact_id, identity, place_of, with_others
from ..facts.records import SaidFact
from ..facts.settings import FactsSettings
from ..facts.talk import facts_in
from ..facts.versions import note, version_of

RULE = "facts"
UNREAD = (
    "facts.scope {scope!r} keeps facts beyond the story, and no recall would read them there. Add "
    'read_providers = ["memberships"], or the table [relationships], which reads them too; '
    'or choose scope = "session".'
)


class FactsFromTalk:
    """Keeps what a speaker says of themselves. Each fact rests on its message, and goes with it."""

    def __init__(self, *, settings: Settings, handed_over: Mapping[str, Sequence[str]] | None = None) -> None:
        """Reads the table `[facts]`; without it, its defaults count.

        Raises `SettingsError` where facts would be kept beyond the story that nothing reads.
        """
        self._settings = settings.table(FactsSettings)
        readers = (*settings.chosen(CORE_BY_NAME["read_provider"]), *(handed_over or {}).get("read_providers", ()))
        if self._settings.scope != "session" and not readers:
            raise settings.error(("facts", "scope"), UNREAD.format(scope=self._settings.scope))

    def share(self, event: SharingEvent) -> SharingAnswer | None:
        """Nobody else learns of the message; those who heard the fact remember it."""
        message = event.message
        speaker = event.cast.resolve(message.speaker)
        if self._settings.strategy == "language_model":
            return None  # the job asks a model, and draws what the rules find where that cannot answer
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
            where = place_of(self._settings.scope, event.cast, event.message, event.cast[id], listeners)
            for fact in facts:
                one = _derivation(event, fact, version_of(fact, event.message.speaker, id, noted), where)
                one = with_others(one, event.cast, event.message)
                made.setdefault((one.container or one.owner, one.identity), one)
        return tuple(made.values())


def _derivation(event: SharingEvent, fact: SaidFact, version: int, where: Mapping[str, object]) -> Derivation:
    speaker = event.cast[event.message.speaker]
    told = described(
        fact.about,
        fact.confidence,
        fact_id(event.session, speaker, fact.id, version),
        version if fact.replaces else None,
    )
    return Derivation(
        content=fact.sentence(speaker.name, changed=version > 0),
        rests_on=(event.message.key,),
        rule=RULE,
        identity=identity(speaker, fact.id, version),
        metadata=dict(told),
        **where,  # type: ignore[arg-type]
    )


def _notes(event: SharingEvent, listeners: Mapping[str, tuple[SaidFact, ...]]) -> tuple[JsonValue, ...]:
    """Who heard what in which version, of the facts of which only one holds at a time."""
    speaker, noted = event.message.speaker, event.state.facts_of(RULE)
    facts = {each.id: each for facts in listeners.values() for each in facts if each.replaces}
    heard = {key: [id for id, facts in listeners.items() if key in {each.id for each in facts}] for key in facts}
    return tuple(
        note(fact, speaker, {id: version_of(fact, speaker, id, noted) for id in heard[key]})
        for key, fact in facts.items()
    )
