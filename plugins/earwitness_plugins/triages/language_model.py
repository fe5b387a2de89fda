"""The triage `language_model`: a model says what is worth gossiping, once for all listeners who would be told now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, JsonValue

from earwitness.errors import EarwitnessError
from earwitness.loading.quantities import Count, Positive
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_relationships.propagation.novelty import Novelty
from earwitness_relationships.propagation.retell import summary
from earwitness_relationships.propagation.triage import Passing, Passings, TriageAnswer, TriageAnswers

from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.prompts import fenced
from ..models.rules_floor import check_time, model_limit
from ..models.scene import LooseText, noted, one_line, shortened
from ..models.verdicts import by_label, listed_by_label, spelled

MOST_HEARD = 6
"""Of what else a listener is told on that day, so many texts are shown, the latest."""
SYNONYMS = {"keep": "pass", "tell": "pass", "summarize": "shorten"}
GossipVerdict = Literal["pass", "shorten", "drop"]


class ListenerVerdict(BaseModel):
    """What a model says of one listener."""

    label: str
    """The listener's label."""
    verdict: Annotated[
        GossipVerdict, BeforeValidator(spelled({"keep": "pass", "tell": "pass", "summarize": "shorten"}))
    ]
    """Whether it is worth telling."""
    why: LooseText = ""
    """Why."""


class TriageProposal(BaseModel):
    """The answer about one message."""

    listeners: Annotated[list[ListenerVerdict], BeforeValidator(listed_by_label)]
    """A verdict for each listener."""


class LanguageModelTriage:
    """What `novelty` merges and drops is merged and dropped. Of the rest, a model says whether to tell or shorten it.

    Where it gives no answer that can be used, and of whom it says nothing, the word of `novelty` counts. What is
    shortened is an extract of what the listener would be told, so no word of another's comes into it.

    Args:
        most, alike, room: as for `novelty`.
        listeners: about so many of those who would be told at once a model is asked; `novelty` judges the others.
        model: another model than that of `[model]`.
        timeout: seconds for all calls about a message; never more than four fifths of what the rule has left.
    """

    def __init__(
        self,
        *,
        most: int = 5,
        alike: float = 0.8,
        room: int = 240,
        listeners: Count = 24,
        model: str | None = None,
        timeout: Positive | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` without the table `[model]`."""
        self._novelty, self._room, self._listeners = Novelty(most=most, alike=alike, room=room), room, listeners
        self._model, self._timeout = model, timeout
        self._client = ModelClient.shared(settings, resources, strategies)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def triage(self, passing: Passing) -> TriageAnswer:
        """What is said of one listener; the answer says what that cost."""
        all_told = await self.triage_all(Passings(passings=(passing,)))
        told = {"version": all_told.version, "usage": all_told.usage, "notes": all_told.notes}
        return (all_told.answers[0] or TriageAnswer()).model_copy(update=told)

    async def triage_all(self, asked: Passings) -> TriageAnswers:
        """What is said of each listener."""
        ruled = [self._novelty.triage(each) for each in asked.passings]
        open_to_question = [number for number, each in enumerate(ruled) if each.decision == "keep"][: self._listeners]
        labels = {f"l{n}": number for n, number in enumerate(open_to_question, 1)}
        if not labels:
            return TriageAnswers(answers=tuple(ruled))
        first = asked.passings[0]
        by, part = f"triage {id(self)}", f"{first.listener} {first.day}"
        account = self._client.account(first.session, by, turn=first.message.message.key, data=asked.data, part=part)
        try:
            return await self._asked(asked, ruled, labels, account)
        except EarwitnessError as failure:
            notes = noted((f"answered by novelty: {failure}", *account.notes))
            return TriageAnswers(answers=tuple(ruled), usage=account.usage, notes=notes)

    async def _asked(
        self, asked: Passings, ruled: Sequence[TriageAnswer], labels: Mapping[str, int], account: Account
    ) -> TriageAnswers:
        check_time(asked.limit)
        prompt = self._client.prompt("triage")
        listeners: list[JsonValue] = [_listener(label, asked.passings[number]) for label, number in labels.items()]
        answer = await self._client.structured(
            account,
            prompt.messages(material=fenced({"listeners": listeners})),
            TriageProposal,
            prompt=prompt,
            limit=model_limit(self._timeout, asked.limit),
            model=self._model,
        )
        found = by_label(answer.listeners, labels, account.notes)
        answers = list(ruled)
        for label, verdict in found.items():
            answers[labels[label]] = self._judged(verdict, asked.passings[labels[label]], ruled[labels[label]])
        if missing := len(labels) - len(found):
            account.notes.append(f"said nothing of {missing} of {len(labels)} listeners; novelty did")
        return TriageAnswers(
            answers=tuple(answers), version=prompt.label, usage=account.usage, notes=noted(account.notes)
        )

    def _judged(self, verdict: ListenerVerdict, passing: Passing, ruled: TriageAnswer) -> TriageAnswer:
        if verdict.verdict == "drop":
            return TriageAnswer(decision="drop", reason=one_line(verdict.why) or "not worth telling")
        if verdict.verdict == "shorten":
            text = summary([passing.text], self._room)
            return TriageAnswer(text=text if text.strip() and len(text) < len(passing.text) else None)
        return ruled


def _listener(label: str, passing: Passing) -> JsonValue:
    heard: list[JsonValue] = [one_line(each.text) for each in passing.heard[-MOST_HEARD:]]
    tellers: list[JsonValue] = [each.teller for each in passing.tellings]
    return {
        "label": label,
        "listener": passing.listener,
        "told_by": tellers,
        "would_be_told": shortened(passing.text),
        "told_already_on_that_day": heard,
    }
