"""Names of strategies and plugins with their settings. Secrets are kept separately."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, Self

from pydantic import Field, PrivateAttr, model_validator

from ..records.base import Record
from ..redaction import REDACTED, Keys, is_reference, redacted, secrets_in


class NamedSettings(Record):
    """A name with settings. Secrets are masked wherever it is shown, compared, recorded or exported."""

    name: str = Field(min_length=1)
    """The registered name (`rules`) or the import path (`mine.LastTwo`)."""
    settings: dict[str, Any] = {}
    """Keyword arguments of its factory. Secrets in them are shown and recorded as `**********`."""

    _revealed: dict[str, Any] = PrivateAttr(default_factory=dict)
    _secret: frozenset[Keys] = PrivateAttr(default=frozenset())

    def model_post_init(self, context: object, /) -> None:
        """Move the secrets out of the visible settings."""
        self._keep(self.settings, frozenset())

    @property
    def revealed(self) -> Mapping[str, Any]:
        """The settings including secrets. Only the factory may receive them."""
        return self._revealed

    def secrets(self) -> tuple[str, ...]:
        """The masked secrets that are text, and those that the environment holds."""
        return tuple(secrets_in(self._revealed, self._secret, os.environ))

    def masking(self, secret: Iterable[Keys]) -> Self:
        """A copy with these settings masked too."""
        copy = self.model_copy()
        copy._keep(self._revealed, self._secret | frozenset(secret))  # noqa: SLF001 - its own
        return copy

    def changed(self, settings: Mapping[str, Any], **fields: Any) -> Self:
        """A copy with other settings and the same masks. Only `settings` are searched for secrets."""
        copy = self.model_copy(update=fields)
        copy._keep(dict(settings), self._secret)  # noqa: SLF001 - its own
        return copy

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """No text among the settings is shown: before the factory is known, any of them may be a secret."""
        yield "name", self.name
        yield "settings", {key: _without_text(value) for key, value in self.settings.items()}

    def _keep(self, settings: dict[str, Any], secret: frozenset[Keys]) -> None:
        self._revealed, self._secret = settings, secret
        self.__dict__["settings"] = {key: _recordable(value) for key, value in redacted(settings, secret).items()}


def _recordable(value: Any) -> Any:
    """A setting as JSON holds it: an infinity and NaN as text."""
    match value:
        case float() if not isfinite(value):
            return str(value)
        case list():
            return [_recordable(each) for each in value]
        case dict():
            return {key: _recordable(each) for key, each in value.items()}
        case _:
            return value


def _without_text(value: object) -> object:
    return value if isinstance(value, int | float | None) or is_reference(value) else REDACTED


class StrategySpec(NamedSettings):
    """A strategy or plugin by name, with its settings. Except for secrets, this is enough to make it again."""

    @model_validator(mode="before")
    @classmethod
    def _name_or_table(cls, given: object) -> object:
        if isinstance(given, str):
            return {"name": given}
        if isinstance(given, Mapping):
            beside = {key: value for key, value in given.items() if key not in {"name", "settings"}}
            within = given.get("settings", {})
            named = {"name": given["name"]} if "name" in given else {}
            return {**named, "settings": {**within, **beside} if isinstance(within, Mapping) else within}
        return given
