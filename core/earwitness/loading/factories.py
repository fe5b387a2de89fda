"""Calls factories with arguments from settings, which are checked by the annotations. Secrets are filled in."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import SecretBytes, SecretStr, TypeAdapter, ValidationError

from ..errors import SettingsError, did_you_mean, likeliest
from ..records.refusal import wanted
from ..redaction import REDACTED, Keys, is_reference, is_secret, redacted, secret_keys
from .problems import describe, records_in

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Factory = Callable[..., Any]
NOT_A_PART = object()
"""The answer of a `Parts` for a setting that is not itself a strategy."""
Parts = Callable[[str, Any], Any]
"""Makes the strategy that a setting with this name and value denotes. Returns `NOT_A_PART` for other settings."""


class Recipe:
    """A factory and its parameters."""

    def __init__(self, what: str, factory: Factory) -> None:
        """`what` is the name in errors, such as `detector 'rules'`."""
        self.what = what
        self.factory = factory
        named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        every = inspect.signature(factory).parameters
        self.parameters = {name: each for name, each in every.items() if each.kind in named}
        self._hints = _hints(factory)

    def make(self, settings: Mapping[str, Any], context: Mapping[str, object], parts: Parts) -> Any:
        """Call the factory. Parameters named in `context` receive its values, unless `settings` has them.

        Raises `SettingsError` for a setting that is unknown, missing or unusable.
        """
        given = {name: value for name, value in context.items() if name in self.parameters and name not in settings}
        self._check_names(settings, given, context.get("settings"))
        return self.factory(**given, **{name: self._value(name, value, parts) for name, value in settings.items()})

    def is_text(self, name: str) -> bool:
        """Whether the factory annotates a setting as text. Such a setting names no strategy, even by a kind's name."""
        return _is_text(self._hints.get(name))

    def hint(self, name: str) -> Any:
        """The annotation of a parameter; `None` if it has none."""
        return self._hints.get(name)

    def secrets(self, given: Iterable[str]) -> Iterator[Keys]:
        """The settings that the factory annotates as secret, and those `given` that misspell the name of one."""
        for name in self.parameters:
            yield from ((name, *keys) for keys in secret_keys(self._hints.get(name)))
        for name in given:
            meant = None if name in self.parameters else likeliest(name, self.parameters)
            if meant is not None and (is_secret(meant) or () in secret_keys(self._hints.get(meant))):
                yield (name,)

    def _check_names(self, settings: Mapping[str, Any], given: Mapping[str, object], tables: object) -> None:
        known = ", ".join(sorted(set(self.parameters) - set(given))) or "none"
        for name in settings:
            if name not in self.parameters:
                meant = did_you_mean(name, self.parameters) + _table_with(name, tables)
                raise SettingsError(f"{self.what} has no setting {name!r}. Its settings: {known}.{meant}")
        needed = {name for name, each in self.parameters.items() if each.default is each.empty}
        if missing := sorted(needed - {*settings, *given}):
            raise SettingsError(f"{self.what} needs {', '.join(missing)}. Its settings: {known}.")

    def _value(self, name: str, value: Any, parts: Parts) -> Any:
        if (part := parts(name, value)) is not NOT_A_PART:
            return part
        hint = self._hints.get(name, Any)
        plain = resolved(value, f"{self.what}: setting {name}")
        try:
            return TypeAdapter(hint).validate_python(plain)
        except ValidationError as error:
            raise SettingsError(f"{self.what}: setting {name}{_refused(name, value, hint, error.errors())}") from None


def _refused(name: str, value: Any, hint: Any, problems: Sequence[ErrorDetails]) -> str:
    """What is wrong with a setting, or with which keys of a setting that is a record."""
    if len(records := records_in(hint)) == 1 and all(each["loc"] for each in problems):
        return f": {' '.join(describe(each, records[0]) for each in problems)}"
    secret = bool(is_secret(name, value) or [*secret_keys(hint)])
    why = "; ".join(dict.fromkeys(wanted(each, is_secret=secret).rstrip(".") for each in problems))
    shown = REDACTED if secret else repr(redacted({name: value})[name])
    return f" = {shown} cannot be used: {why}."


def _table_with(name: str, settings: object) -> str:
    """A hint for a setting that another table of the file has; a TOML file may have it below the wrong heading."""
    tables = {key: getattr(settings, key) for key in getattr(type(settings), "model_fields", ())}
    found = [key for key, table in tables.items() if name in getattr(type(table), "model_fields", ())]
    of = f"table [{found[0]}]" if len(found) == 1 else f"tables {' and '.join(f'[{each}]' for each in found)}"
    return f" It is a setting of the {of}: write it there." if found else ""


def resolved(value: Any, what: str) -> Any:
    """A setting with secrets in plain text, and with `{ env = "NAME" }` replaced by that environment variable.

    `what` is its name in errors. Raises `SettingsError` for a variable that is not set, and for a masked secret.
    """
    if is_reference(value):
        if (found := os.environ.get(value["env"])) is None:
            raise SettingsError(f"{what}: the environment variable {value['env']!r} is not set.")
        return found
    if isinstance(value, SecretStr | SecretBytes):
        return value.get_secret_value()
    if isinstance(value, Mapping):
        return {key: resolved(each, f"{what}.{key}") for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [resolved(each, what) for each in value]
    if isinstance(value, str) and REDACTED in value:
        raise SettingsError(f'{what} was masked when it was recorded. Give it again, best as {{ env = "VARIABLE" }}.')
    return value


def _is_text(hint: Any) -> bool:
    """Whether a type is `str`, perhaps annotated or optional."""
    parts = [each for each in get_args(hint) if each is not type(None)]
    if get_origin(hint) is Annotated:
        return _is_text(parts[0])
    if get_origin(hint) in (Union, UnionType):
        return all(map(_is_text, parts))
    return hint is str


def _hints(factory: Factory) -> dict[str, Any]:
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        return get_type_hints(target, include_extras=True)  # bounds of a setting are said by `Annotated`
    except (NameError, TypeError):
        return {}
