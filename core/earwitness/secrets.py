"""Secrets in settings: which values are, and how settings are shown and recorded without them. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, SecretBytes, SecretStr

MASK = "**********"
"""What is shown in place of a secret, as pydantic does."""

Keys = tuple[str, ...]
"""The way to a setting within settings: the keys of the tables around it, and its own. Lists add nothing to it."""

_NAMES = re.compile(
    r"(?:^|_)(?:api_?key|access_?key|private_?key|secret_?key|auth_?key|(?:auth|access|api|bearer|refresh)_?token|token"
    r"|password|passwd|passphrase|secret|credentials?|authorization)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PASSWORD_IN_URL = re.compile(r"\w://[^/\s:@]*:[^/\s@]+@")


def masked(settings: Mapping[str, Any], also: Collection[Keys] = ()) -> dict[str, Any]:
    """The settings with every secret replaced by `MASK`, as deep as tables and lists go.

    A secret is what a `SecretStr` holds, text under a name such as `api_key`, `token` or `password`, a URL with a
    password in it, and whatever is at one of the places `also`.
    """
    return {str(name): _masked(str(name), value, _below(also, str(name))) for name, value in settings.items()}


def secrets_in(settings: Mapping[str, Any], also: Collection[Keys] = ()) -> Iterator[str]:
    """The secrets that `masked` would replace, where they are text."""
    for name, value in settings.items():
        yield from _found(str(name), value, _below(also, str(name)))


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name holds a secret: `api_key`, `apiKey`, `openai-token`, `PASSWORD`."""
    return _NAMES.search(_CAMEL.sub("_", name).replace("-", "_").lower()) is not None


def secret_keys(annotation: Any) -> Iterator[Keys]:
    """Where a value of this type holds secrets: `()` when it is one itself."""
    if annotation is SecretStr or annotation is SecretBytes:
        yield ()
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            yield from ((name, *keys) for keys in secret_keys(field.annotation))
    elif isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        for name, hint in get_type_hints(annotation).items():
            yield from ((name, *keys) for keys in secret_keys(hint))
    else:
        for part in get_args(annotation):
            yield from secret_keys(part)


def _masked(name: str, value: Any, also: Collection[Keys]) -> Any:
    if _is_secret(name, value, also):
        return MASK
    if isinstance(value, Mapping):
        return masked(value, also)
    if isinstance(value, list | tuple):
        return [_masked(name, each, also) for each in value]
    return value


def _found(name: str, value: Any, also: Collection[Keys]) -> Iterator[str]:
    if _is_secret(name, value, also):
        plain = value.get_secret_value() if isinstance(value, SecretStr) else value
        yield from [plain] if isinstance(plain, str) and plain else []
    elif isinstance(value, Mapping):
        yield from secrets_in(value, also)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _found(name, each, also)


def _is_secret(name: str, value: Any, also: Collection[Keys]) -> bool:
    if is_reference(value):
        return False
    if isinstance(value, SecretStr | SecretBytes) or () in also:
        return True
    return isinstance(value, str) and (is_secret_name(name) or _PASSWORD_IN_URL.search(value) is not None)


def is_reference(value: object) -> bool:
    """Whether a value is `{ env = "VARIABLE" }`: it names a secret and does not hold it."""
    return isinstance(value, Mapping) and set(value) == {"env"} and isinstance(value["env"], str)


def _below(also: Collection[Keys], name: str) -> set[Keys]:
    return {keys[1:] for keys in also if keys[:1] == (name,)}
