"""The job `facts`: draws facts from talk with a language model, in the background, for each set of listeners by itself.

One step is one exchange: so many new messages. A step that is cut short is repeated; what it wrote is known by its keys
then, and nothing is kept twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from earwitness import Session, Settings, SettledMessage
from earwitness.errors import EarwitnessError, InputError, KeyConflict, SettingsError, UnknownName
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.plugin_data import PluginData
from earwitness.records.derived import Derivation

from ..facts.exchanges import HeardExchange, HeardLine, exchanges
from ..facts.known import known_facts, shown_facts
from ..facts.leftovers import says_more
from ..facts.model_answer import BelievedFacts, DrawnFact, FactsProposal
from ..facts.places import digest
from ..facts.reconciliation import FactMemories, KnownFacts, Reconciler, with_new
from ..facts.settings import FactsSettings
from ..facts.talk import facts_in
from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.errors import ModelError
from ..models.prompts import ModelPrompt, fenced
from ..models.scene import noted, shortened
from ..review import Proposal

BY = "job:facts"
RULES, MODEL = "facts", "facts:language_model"
"""The rule of what the rules have found, and of what the model has."""
PAGE = 40
"""Messages of one step."""
LAST, EDITED = "last", "edited"
"""In its data: the key of the last message that was read, and how often each of the last ones had been edited then."""
_log = logging.getLogger("earwitness")


class FactsByModel:
    """Asks a model about each exchange, once, and proposes the facts that are believed."""

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies) -> None:
        """Reads the table `[facts]`. Raises `SettingsError` if a model is wanted without a table `[model]`."""
        self._settings = table = settings.table(FactsSettings)
        asks = table.strategy != "rules" and table.write != "off"
        self._client = ModelClient.shared(settings, resources, strategies) if asks else None

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()

    async def has_work(self, story: Session, data: PluginData) -> bool:
        """Whether somebody is to be asked, and there may be an exchange to read."""
        if self._settings.strategy == "rules" or (self._client is None and self._settings.strategy == "hybrid"):
            return False
        fresh, edited = await self._unread(story, data)
        return len(fresh) >= self._settings.exchange or len(edited) > 0

    async def run(self, story: Session, data: PluginData) -> bool:
        """Read the next exchange, if there is one. Whether more is left."""
        fresh, edited = await self._unread(story, data)
        if len(fresh) < self._settings.exchange and not edited:
            return False
        grounds = await self._grounds(story, data, [*edited, *fresh])
        for each in exchanges([*edited, *fresh], story.cast, grounds):
            await self._read(story, each, data)
        self._keep(data, fresh, edited)
        return len(fresh) >= PAGE

    # ── what is new ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _unread(
        self, story: Session, data: PluginData
    ) -> tuple[Sequence[SettledMessage], Sequence[SettledMessage]]:
        """The messages since the last one that was read, and those of before that read otherwise now."""
        last, before = data.get(LAST), data.get(EDITED)
        if not isinstance(last, str) or not await story.has(last):
            return await story.messages(limit=self._settings.history), ()
        fresh = await story.messages(after=last, limit=PAGE)
        read = {str(key): times for key, times in before.items()} if isinstance(before, dict) else {}
        latest = await story.messages(limit=PAGE) if read else ()
        return fresh, [each for each in latest if each.key in read and each.message.revision != read[each.key]]

    async def _grounds(
        self, story: Session, data: PluginData, messages: Sequence[SettledMessage]
    ) -> dict[str, str | None]:
        """Key → the memory that stands for a message as it was read. One that was edited meanwhile has none: it is read
        again with the next step."""
        found = await story.backstage().grounds(*(each.key for each in messages)) if messages else {}
        now = {each.key: each.message.revision for part in await self._unread(story, data) for each in part}
        return {each.key: found.get(each.key) for each in messages if now.get(each.key) == each.message.revision}

    def _keep(self, data: PluginData, fresh: Sequence[SettledMessage], edited: Iterable[SettledMessage]) -> None:
        if fresh:
            data[LAST] = fresh[-1].key
        before = data.get(EDITED)
        kept: dict[str, JsonValue] = dict(before) if isinstance(before, dict) else {}
        kept |= {each.key: each.message.revision for each in (*edited, *fresh)}
        data[EDITED] = dict(list(kept.items())[-PAGE:])

    # ── one exchange ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _read(self, story: Session, exchange: HeardExchange, data: PluginData) -> None:
        if self._settings.strategy == "hybrid":
            lines = tuple(each for each in exchange.lines if says_more(each.text, story.cast))
            exchange = HeardExchange(exchange.present, lines)
        if not exchange.lines:
            return
        known = await known_facts(story, exchange)
        if self._client is None:
            await self._by_rules(story, exchange, known)
            return
        account = self._client.account(story.id, BY, turn=exchange.lines[-1].message.key, data=data)
        try:
            await self._by_model(story, exchange, known, account, self._client)
        except (ModelError, SettingsError) as failure:
            _log.info("story %r: facts are drawn by rules: %s", story.id, failure)
            if self._settings.strategy == "language_model":
                await self._by_rules(story, exchange, known)
        finally:
            if account.usage is not None:
                await story.backstage().note_usage(BY, account.usage)

    async def _by_model(
        self, story: Session, exchange: HeardExchange, known: KnownFacts, account: Account, client: ModelClient
    ) -> None:
        prompt = client.prompt("facts")
        messages = prompt.messages(material=fenced(_material(story, exchange, known)))
        answer = await client.structured(
            account,
            messages,
            FactsProposal,
            prompt=prompt,
            limit=self._settings.timeout,
            model=self._settings.model,
        )
        believed = BelievedFacts(exchange, story.cast, self._settings.confidence)
        facts = believed.of(answer.facts)
        if self._settings.strategy == "hybrid":
            facts = [each for each in facts if not _by_the_rules_too(each)]
        notes = noted((*account.notes, *believed.notes))
        for each in notes:
            _log.debug("story %r: facts: %s", story.id, each)
        for fact in facts:
            made = Reconciler(story.id, story.cast, exchange, self._settings.scope, MODEL).memories(fact, known)
            await self._propose(story, made, account, prompt, notes)
            known = with_new(known, made.new, is_open=self._settings.write != "auto")

    async def _propose(
        self, story: Session, made: FactMemories, account: Account, prompt: ModelPrompt, notes: tuple[str, ...]
    ) -> None:
        """Let what is new wait for a person, or write it, as the setting says; what is known has one more support."""
        fact = made.fact
        await self._write(story, made.again, fact)
        if not made.new:
            return
        message = fact.line.message.message
        listeners = sorted({id for each in made.new for id in each.knowers})
        proposal = Proposal(
            kind="fact",
            text=fact.text,
            about=tuple(dict.fromkeys((fact.subject.id, *listeners)))[:PAGE],
            rests_on=(fact.line.ground,),
            memories=made.new,
            by=MODEL,
            version=prompt.label,
            usage=account.usage,
            notes=notes,
            identity=(message.key, str(message.revision), fact.subject.id, fact.id, *listeners),
        )
        try:
            await story.review.submit(proposal, self._settings.write)
        except (InputError, UnknownName) as gone:  # retracted, or kept from somebody since
            _log.info("story %r: a fact was not kept: %s", story.id, gone)

    # ── by rules ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _by_rules(self, story: Session, exchange: HeardExchange, known: KnownFacts) -> None:
        """What the rules find, where no model answers."""
        reconciler = Reconciler(story.id, story.cast, exchange, self._settings.scope, RULES)
        for line in exchange.lines:
            for fact in _plainly_said(story, line):
                if fact.confidence >= self._settings.confidence:
                    made = reconciler.memories(fact, known)
                    await self._write(story, (*made.new, *made.again), fact)
                    known = with_new(known, made.new, is_open=False)

    async def _write(self, story: Session, memories: Iterable[Derivation], fact: DrawnFact) -> None:
        message = fact.line.message.message
        for each in memories:
            where = each.container or str(each.owner)
            key = f"fact-{digest(message.key, str(message.revision), where, str(each.identity))}"
            try:
                await story.derive(each, key=key)
            except KeyConflict:  # written before a restart, in other words
                continue
            except EarwitnessError as gone:  # retracted, or kept from somebody since
                _log.info("story %r: a fact was not kept: %s", story.id, gone)


def _plainly_said(story: Session, line: HeardLine) -> Iterable[DrawnFact]:
    speaker = story.cast[line.message.speaker]
    for each in facts_in(line.text):
        said = each.sentence(speaker.name)
        yield DrawnFact(
            line, speaker, each.about, each.value, said, each.confidence, each.replaces and each.topic == each.about
        )


def _by_the_rules_too(fact: DrawnFact) -> bool:
    """Whether the rules have kept it when it was said."""
    return fact.subject.id == fact.line.message.speaker and fact.id in {each.id for each in facts_in(fact.line.text)}


def _material(story: Session, exchange: HeardExchange, known: KnownFacts) -> JsonValue:
    """What a model is shown: only what all who were present have heard, and what they know from the same channel."""
    cast, present = story.cast, sorted(exchange.present)
    messages: list[JsonValue] = [
        {
            "label": f"m{number}",
            "speaker": each.message.speaker,
            "name": cast.name_of(each.message.speaker),
            "game_day": each.message.message.game_day,
            "text": shortened(each.text),
        }
        for number, each in enumerate(exchange.lines, 1)
    ]
    who: list[JsonValue] = [{"id": id, "name": cast.name_of(id), "aliases": list(cast[id].aliases)} for id in present]
    return {"cast": who, "known_facts": shown_facts(exchange, known), "messages": messages}
