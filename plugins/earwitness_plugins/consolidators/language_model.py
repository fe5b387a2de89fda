"""The consolidator `language_model`: asks a model for a `history_entry` and a `memory_update`.

A model proposes. What it says of people whom none of the memories names is left out, and so is what it says beyond the
length. Where nothing usable is left, or no answer comes, the extractive consolidator answers; `notes` say why. What the
summary rests on, who knows it and since when is no matter of the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated
from unicodedata import normalize

from pydantic import BaseModel, BeforeValidator, JsonValue

from earwitness.errors import EarwitnessError
from earwitness.formats import as_said, strip_block
from earwitness.invisible import IN_LINE, alters_display
from earwitness.loading.quantities import Positive
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.patterns import lazy_pattern
from earwitness.records.prose import counted
from earwitness.sentences import sentences
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.prompts import fenced
from earwitness_plugins.models.rules_floor import answered_by_rules
from earwitness_plugins.models.scene import noted, shortened

from ..consolidation.protocol import Consolidation, ConsolidationTask
from .extractive import ExtractiveConsolidator, within

LIMIT = 60.0
"""Seconds for all calls of one task together: nobody waits for it."""
MOST_LINES = 40
"""So many lines of a `memory_update` are read."""
LONGEST = 20_000
"""Characters of a text that are read."""
_INVISIBLE = lazy_pattern(rf"(?!\s)[{IN_LINE}]")
"""What a reader does not see, and may stand within a name."""
MODAL = frozenset(("will", "may"))
"""Names that are common words in small letters."""
_BULLET = lazy_pattern(r"^\s*(?:[-*•]\s+|#+\s*)")


def _lines(given: object) -> object:
    """A text as its lines, as some models give it; a table as its values."""
    if isinstance(given, dict):
        given = list(given.values())
    return given.splitlines() if isinstance(given, str) else given


class ConsolidationAnswer(BaseModel):
    """What the model answers."""

    history_entry: str = ""
    """What happened, in a few sentences."""
    memory_update: Annotated[list[str], BeforeValidator(_lines)] = []
    """What is worth knowing from now on."""


class LanguageModelConsolidator:
    """Sums up by a language model; by rules where it cannot.

    Args:
        model: another model than that of `[model]`.
        timeout: seconds for all calls of one summary together.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        timeout: Positive = LIMIT,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` without the table `[model]`."""
        self.model = model
        self._limit = timeout
        self._client = ModelClient.shared(settings, resources, strategies)
        self._rules = ExtractiveConsolidator()

    async def open(self) -> None:
        """Raises `SettingsError` without the client or a key."""
        await self._client.open()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def consolidate(self, task: ConsolidationTask) -> Consolidation:
        """The model's summary of a task, as far as the memories bear it out."""
        account = self._client.account(task.session, "consolidator:language_model", part=str(id(self)))
        prompt = self._client.prompt("consolidation")
        try:
            messages = prompt.messages(material=fenced(_material(task)), most=str(task.most))
            answer = await self._client.structured(
                account, messages, ConsolidationAnswer, prompt=prompt, limit=self._limit, model=self.model, whole=True
            )
        except EarwitnessError as failure:
            return answered_by_rules(self._rules.consolidate(task), failure, account)
        believed = borne_out(answer, task, account.notes)
        if not believed.text:
            account.notes.insert(0, "answered by rules: nothing that the model said could be used")
            believed = self._rules.consolidate(task)
        return believed.model_copy(
            update={"version": prompt.label, "usage": account.usage, "notes": noted(account.notes)}
        )


def borne_out(answer: ConsolidationAnswer, task: ConsolidationTask, notes: list[str]) -> Consolidation:
    """What of an answer is borne out by the memories, new, and short enough. Pure, but for the notes it adds."""
    strangers, told = _strangers(task), _told(task)
    given = [_BULLET.sub("", line) for each in answer.memory_update[:MOST_LINES] for line in _clean(each).splitlines()]
    entry = _without_strangers(sentences(_clean(answer.history_entry)), strangers, told, notes)
    lines = _without_strangers(given, strangers, told, notes)
    update = [each for each in dict.fromkeys(lines) if each not in task.known]
    kept = within(entry, task.most)
    fitting = within(update, task.most - sum(len(each) + 1 for each in kept))
    if beyond := len(entry) - len(kept) + len(update) - len(fitting):
        notes.append(f"left out of the summary: {counted(beyond, 'sentence')} beyond {task.most} characters")
    return Consolidation(history_entry=" ".join(kept), memory_update=tuple(fitting))


def _clean(text: str) -> str:
    """A model's words without its reasoning, a block of memories that it repeats, and control characters."""
    said = strip_block(as_said(text[:LONGEST]))
    return "".join(each for each in said if each.isspace() or not alters_display(each))


def _told(task: ConsolidationTask) -> str:
    return "\n".join((task.owner, *task.known, *(each.line for each in task.remembered)))


def _strangers(task: ConsolidationTask) -> list[str]:
    """Names of those in the cast whom no memory names."""
    told = _told(task)
    return [name for names in task.people if not any(_names(each, told) for each in names) for name in names]


def _without_strangers(given: Iterable[str], strangers: Sequence[str], told: str, notes: list[str]) -> list[str]:
    kept = []
    for sentence in (each.strip() for each in given if each.strip()):
        named = next((each for each in strangers if _names(each, sentence, told)), None)
        if named is None:
            kept.append(sentence)
        else:
            notes.append(f"left out of the summary, since no memory names {named!r}: {sentence}")
    return kept


def _names(name: str, text: str, told: str | None = None) -> bool:
    """Whether a text names somebody, in whatever letters. Many a name is a word too, such as Will or Rose: in small
    letters alone it counts if it is not a common word, and not in what is `told`; never without that."""
    name, text = normalize("NFKC", name).casefold(), normalize("NFKC", _INVISIBLE.sub("", text))
    if not name.isascii():
        return name in text.casefold()
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    found = {each[0] for each in re.finditer(pattern, text, re.IGNORECASE)}
    if any(not each.islower() for each in found):
        return True
    return bool(found) and told is not None and name not in MODAL and re.search(pattern, told) is None


def _material(task: ConsolidationTask) -> JsonValue:
    shown: list[JsonValue] = [
        {"id": each.label, "day": each.day, "text": shortened(each.line)} for each in task.remembered
    ]
    return {"whose": task.owner or "the user", "memories": shown, "known": list(task.known)}
