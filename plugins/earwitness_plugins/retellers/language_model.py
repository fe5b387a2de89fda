"""The reteller `language_model`: a model rewords what a teller passes on, hop by hop."""

from __future__ import annotations

from pydantic import BaseModel, JsonValue

from earwitness.errors import EarwitnessError
from earwitness.formats import as_said
from earwitness.invisible import alters_display
from earwitness.loading.quantities import Positive
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_relationships.propagation.records import Telling
from earwitness_relationships.propagation.retell import Retelling, RetellingAnswer

from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.prompts import fenced
from ..models.rules_floor import check_time, model_limit
from ..models.scene import noted, shortened

LEAST_ROOM, MOST_ROOM = 240, 1_600
"""Characters of a retelling: twice those of what was heard, and between these two."""


class RetellingProposal(BaseModel):
    """The answer about one telling."""

    text: str
    """What the teller tells."""


class LanguageModelReteller:
    """What a teller knows, in words of a model, once for all whom they tell it now.

    It is shown nothing but what the teller knows. Where it gives no answer that can be used, or one that is too long,
    the words are passed on as the teller has them. The teller's own memory stays as it is.

    Args:
        style: how people talk in this story, such as `sailors in a harbour tavern`.
        model: another model than that of `[model]`.
        timeout: seconds for all calls; never more than four fifths of what the rule has left.
    """

    def __init__(
        self,
        *,
        style: str = "",
        model: str | None = None,
        timeout: Positive | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` without the table `[model]`."""
        self._style, self._model, self._timeout = style, model, timeout
        self._client = ModelClient.shared(settings, resources, strategies)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def retell(self, text: str, telling: Telling) -> str:
        """The words of the teller for one listener."""
        answer = await self.reword(Retelling(text=text, tellings=(telling,)))
        return answer.text or text

    async def reword(self, asked: Retelling) -> RetellingAnswer:
        """The words of the teller for all whom they tell it now."""
        first, by = asked.tellings[0], f"reteller {id(self)}"
        part = f"{first.teller} {first.hop} {first.day}"
        account = self._client.account(asked.session, by, turn=asked.message, data=asked.data, part=part)
        try:
            return await self._asked(asked, account)
        except EarwitnessError as failure:
            notes = noted((f"told in the teller's own words: {failure}", *account.notes))
            return RetellingAnswer(usage=account.usage, notes=notes)

    async def _asked(self, asked: Retelling, account: Account) -> RetellingAnswer:
        check_time(asked.limit)
        prompt, first = self._client.prompt("retelling"), asked.tellings[0]
        shown: dict[str, JsonValue] = {
            "teller": first.teller,
            "hop": first.hop,
            "style": self._style,
            "heard": shortened(asked.text),
        }
        answer = await self._client.structured(
            account,
            prompt.messages(material=fenced({key: each for key, each in shown.items() if each})),
            RetellingProposal,
            prompt=prompt,
            limit=model_limit(self._timeout, asked.limit),
            model=self._model,
            whole=True,
        )
        text = retold(answer.text, asked.text, account.notes)
        return RetellingAnswer(text=text, version=prompt.label, usage=account.usage, notes=noted(account.notes))


def retold(answer: str, heard: str, notes: list[str]) -> str | None:
    """A model's words in one line, without its reasoning; `None` where they are none or too many, which is noted."""
    text = " ".join("".join(each for each in as_said(answer) if each.isspace() or not alters_display(each)).split())
    room = min(max(LEAST_ROOM, 2 * len(heard)), MOST_ROOM)
    if not text or len(text) > room:
        why = f"{len(text):,} characters, where {room:,} are allowed" if text else "nothing"
        notes.append(f"told in the teller's own words: the model answered {why}")
        return None
    return text
