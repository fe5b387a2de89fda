"""The settings table `[model]`: which language model, what it may cost, and where its answers are kept."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, SecretStr, field_validator

from earwitness import Record
from earwitness.errors import SettingsError
from earwitness.loading.addresses import ServerUrl
from earwitness.loading.quantities import Count, Positive
from earwitness.loading.settings import Settings
from earwitness.loading.strategy_spec import StrategySpec

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class TokenPrice(Record):
    """What a million tokens of one model cost, in a currency of your choice."""

    input: Amount
    """Tokens of the prompt."""
    output: Amount
    """Tokens of the answer."""
    reused: Amount | None = None
    """Tokens of the prompt that the server had at hand; `None` = as `input`."""

    def of(self, tokens_in: int, tokens_out: int, tokens_reused: int = 0) -> float:
        """What so many tokens cost."""
        reused = min(tokens_reused, tokens_in)
        cheaper = self.input if self.reused is None else self.reused
        return ((tokens_in - reused) * self.input + reused * cheaper + tokens_out * self.output) / 1_000_000


class SpendingLimits(Record):
    """The most that may be spent; `None` = no limit."""

    calls: Count | None = None
    """Number of calls, those that fail included."""
    tokens: Count | None = None
    """Tokens of prompts and answers together."""
    cost: Positive | None = None
    """What the calls cost by the price list."""


class ModelSettings(Record):
    """The language model that everything in an instance asks."""

    model: str = Field(min_length=1)
    """The model's name, as the server knows it."""
    base_url: ServerUrl | None = None
    """The server, such as `http://localhost:8080/v1`; `None` = OpenAI's."""
    api_key: SecretStr | None = None
    """The key, best as `{ env = "NAME" }`; `None` = the environment variable `OPENAI_API_KEY`, and none at all for
    a server at `base_url`."""
    name: str = "openai"
    """The strategy of the kind `model` that talks to the server."""
    settings: dict[str, Any] = {}
    """Further settings of that strategy."""
    timeout: Positive = 20.0
    """Seconds for one attempt. Whoever asks may allow less: a World Agent four fifths of `end.plugin_timeout`."""
    retries: Annotated[int, Field(strict=True, ge=0, le=10)] = 2
    """How often an attempt is repeated after a refusal that may pass, and within the time that there is."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """0 = always the likeliest words; `"none"` = whatever the server does, for models that take no other."""
    max_tokens: Count | None = 2_000
    """The longest answer."""
    parameters: dict[str, JsonValue] = {}
    """Further parameters of each request, such as `{ top_p = 0.9 }`."""
    structured: Literal["schema", "prompt"] = "schema"
    """How answers in JSON are asked for: `schema` sends a JSON schema, and puts it into the prompt where the server
    refuses that; `prompt` always does so."""
    prices: dict[str, TokenPrice] = {}
    """Model's name → price of its tokens. A model that is not here costs nothing in reports."""
    budget_per_turn: SpendingLimits = SpendingLimits(calls=6)
    """What all that asks about one message may spend together."""
    budget_per_session: SpendingLimits = SpendingLimits()
    """What one session may spend."""
    cassette: str | None = None
    """File with recorded answers, relative to the settings file; `None` = none are recorded."""
    cassette_mode: Literal["replay", "record", "auto"] = "auto"
    """`replay`: only recorded answers, and nobody is asked. `record`: everything is asked, and recorded. `auto`: what
    is not recorded is asked."""
    prompts: str | None = None
    """Folder with prompts of your own, relative to the settings file. A file there replaces ours of that name."""

    @field_validator("temperature", mode="before")
    @classmethod
    def _none_by_name(cls, given: object) -> object:
        return None if given == "none" else given

    def cost_of(self, model: str, tokens_in: int, tokens_out: int, tokens_reused: int = 0) -> float:
        """What so many tokens of a model cost by the price list; 0 for a model that is not in it."""
        price = self.prices.get(model)
        return price.of(tokens_in, tokens_out, tokens_reused) if price else 0.0

    @property
    def replays_only(self) -> bool:
        """Whether no server is asked, but recorded answers are replayed."""
        return bool(self.cassette) and self.cassette_mode == "replay"

    @property
    def spec(self) -> StrategySpec:
        """The strategy that talks to the server, with its settings."""
        own = {"base_url": self.base_url, "api_key": self.api_key}
        return StrategySpec(
            name=self.name, settings={**{key: each for key, each in own.items() if each is not None}, **self.settings}
        )


def model_settings(settings: Settings) -> ModelSettings:
    """The table `[model]`. Raises `SettingsError`, also where there is none."""
    try:
        return settings.table(ModelSettings)
    except SettingsError as missing:
        raise SettingsError(
            'a language model is needed. Say which in the settings: [model] with model = "NAME", and perhaps '
            'base_url = "http://…/v1" and api_key = { env = "VARIABLE" }.'
        ) from missing
