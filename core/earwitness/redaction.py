"""Redacts secrets in settings: `**********` replaces them in everything that is recorded or shown. Pure functions.

A value is a secret if its type is `SecretStr`, or if its name is that of a secret. This also covers old records.
"""

from __future__ import annotations

import dataclasses
import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from traceback import format_exception
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any, TypeGuard, get_args, get_type_hints
from urllib.parse import quote, quote_plus, unquote

from pydantic import BaseModel, SecretBytes, SecretStr

from .patterns import lazy_pattern

Keys = tuple[str, ...]
"""The path of a setting: the keys of the tables around it, and its own key. Lists add no key."""

REDACTED = "**********"
"""As pydantic prints a `SecretStr`."""
SHORTEST = 6
"""Secrets with fewer characters are not searched for in other text, because ordinary words might contain them."""
DEEPEST_HELD = 4
"""How deep an instance is searched for secrets: its lists, tables, models and other instances."""
MOST_HELD = 10_000
"""How many values of an instance are looked at."""
_NO_SECRETS = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"})
"""Variables of every environment whose names sound like secrets; they hold paths."""
_WORD = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = frozenset({"auth", "authorization", "bearer", "cookie", "credential", "jwt", "pass", "passwd", "pwd"})
_SECRET_ENDINGS = ("secret", "secrets", "password", "passwords", "passphrase", "credentials", "cookies")
_SECRET_TEXT = frozenset({"key", "keys"})
_SECRET_TEXT_ENDINGS = ("token", "tokens", "apikey", "apikeys")
_IN_URL = lazy_pattern(r"(?<=://)([^/\s:@]*):([^/\s@]+)(?=@)")
_ASSIGNED = lazy_pattern(r"(?<![\w.-])([\w.-]++)=([^&#;\s]+)")


def redacted(settings: Mapping[str, Any], also: Collection[Keys] = ()) -> dict[str, Any]:
    """The settings with all secrets redacted, at any depth: by type, by name, in URLs, and at the paths `also`."""
    taken: list[str] = []
    return {key: _redacted_at(key, value, taken, also) for key, value in settings.items()}


def secrets_in(
    settings: Mapping[str, Any], also: Collection[Keys] = (), environment: Mapping[str, str] | None = None
) -> list[str]:
    """The secrets that `redacted` removes, longest first. Those shorter than `SHORTEST` are left out.

    In an `environment`, the values of the variables that settings refer to are secrets too.
    """
    found: list[str] = []
    for key, value in settings.items():
        _redacted_at(key, value, found, also)
    for value in _referenced(settings, environment or {}):
        _redacted(value, found, (), hidden=True)
        _redacted_text(value, found)
    return _longest_first(found)


def secrets_held(instance: object) -> tuple[str, ...]:
    """The values of `SecretStr` and `SecretBytes` in an object's attributes, longest first.

    Lists, tables, models and other instances there are searched too, `DEEPEST_HELD` deep. Secrets shorter than
    `SHORTEST` are left out. Nothing of the object is called.
    """
    return tuple(_longest_first(_held(instance)))


def secrets_around(environment: Mapping[str, str]) -> list[str]:
    """The secrets in an environment: the values of variables with the name of a secret, and passwords in URLs."""
    return secrets_in({name: value for name, value in environment.items() if name not in _NO_SECRETS})


def _attributes(instance: object) -> Iterator[object]:
    yield from list(getattr(instance, "__dict__", {}).values())
    slots = (each for kind in type(instance).__mro__ for each in vars(kind).values())
    for slot in slots:
        if isinstance(slot, MemberDescriptorType):
            with suppress(AttributeError):  # not set
                yield slot.__get__(instance)


def _held(instance: object) -> Iterator[str]:
    """The secrets within, level by level, each object once. `SecretBytes` count as text and as `repr` shows them."""
    level, seen = [instance], {id(instance)}
    for _ in range(DEEPEST_HELD + 1):
        inner: list[object] = []
        for value in level:
            if isinstance(value, SecretStr):
                yield value.get_secret_value()
            elif isinstance(value, SecretBytes):
                secret = value.get_secret_value()
                yield from (secret.decode(errors="replace"), repr(secret)[2:-1])
            elif len(seen) < MOST_HELD:
                inner += [each for each in islice(_parts(value), MOST_HELD) if id(each) not in seen]
                seen |= {id(each) for each in inner}
        level = inner


def _parts(value: object) -> Iterator[object]:
    """What a list, a table or an instance holds. Text, numbers, classes, functions and modules hold nothing."""
    if isinstance(value, dict):
        yield from list(dict.values(value))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from list(value)
    elif not isinstance(value, str | bytes | int | float | type | FunctionType | ModuleType | None):
        yield from _attributes(value)


def _longest_first(found: Iterable[str]) -> list[str]:
    forms = {form for each in found if len(each) >= SHORTEST for form in _written(each)}
    return sorted(forms, key=lambda each: (-len(each), each))


def _written(secret: str) -> Iterator[str]:
    """How a secret may be written: as it is, as `repr` and JSON do, and as in URLs, which errors of services quote."""
    yield from (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1])
    with suppress(UnicodeEncodeError):
        yield from (quote(secret), quote(secret, safe=""), quote_plus(secret))


def without(text: str, secrets: Iterable[str]) -> str:
    """Remove these secrets from text that may quote them, such as the error of a service."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def without_passwords(text: str) -> str:
    """Remove the passwords of URLs, and of `name=value` pairs, from text that is shown, such as an error."""
    return _redacted_text(text, [])


def scrub(error: BaseException, secrets: Collection[str]) -> None:
    """Take these secrets out of what an error says. One that quotes them loses its causes, which may quote them too."""
    if not _quotes(error, secrets):
        return
    error.args = tuple(without(each, secrets) if isinstance(each, str) else each for each in error.args)
    if notes := getattr(error, "__notes__", None):
        error.__notes__ = [without(str(each), secrets) for each in notes]
    error.__cause__ = None


def cause_of(error: BaseException, secrets: Collection[str]) -> BaseException | None:
    """The error, as the cause of another one; `None` where it or its own causes quote one of these secrets."""
    return None if _quotes(error, secrets) else error


def _quotes(error: BaseException, secrets: Collection[str]) -> bool:
    shown = "".join(format_exception(error)) if secrets else ""
    return any(secret in shown for secret in secrets)


def is_reference(value: object) -> TypeGuard[Mapping[str, str]]:
    """Whether a value is `{ env = "VARIABLE" }`, which refers to a secret without containing it."""
    return isinstance(value, Mapping) and set(value) == {"env"} and isinstance(value["env"], str)


def _referenced(value: object, environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables that `{ env = "VARIABLE" }` names, wherever in a setting."""
    if is_reference(value):
        yield environment.get(value["env"], "")
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _referenced(each, environment)


def secret_keys(annotation: Any) -> Iterator[Keys]:
    """The paths of the secrets within a value of this type; `()` if the value itself is a secret."""
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


def is_secret(name: str, value: object = "") -> bool:
    """Whether a setting of this name is a secret, such as `api_key`, `clientSecret`, `access-token`, `PASSWORD`.

    `max_tokens = 512`, `tokenizer` and switches are not.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if value is None or isinstance(value, bool) or not words:
        return False
    if any(word in _SECRET or word.endswith(_SECRET_ENDINGS) for word in words):
        return True
    last = words[-1]
    return not isinstance(value, int | float) and (last in _SECRET_TEXT or last.endswith(_SECRET_TEXT_ENDINGS))


def _redacted_at(key: str, value: Any, found: list[str], also: Collection[Keys], *, hidden: bool = False) -> Any:
    inner = {keys[1:] for keys in also if keys[0] == key}
    hidden = hidden or () in inner or is_secret(key, value)
    return _redacted(value, found, inner - {()}, hidden=hidden)


def _redacted(value: Any, found: list[str], also: Collection[Keys], *, hidden: bool) -> Any:
    """The value without its secrets, which are added to `found`. Only the shape is left of a `hidden` value."""
    match value:
        case Mapping():
            return (
                dict(value)
                if is_reference(value)
                else {key: _redacted_at(key, each, found, also, hidden=hidden) for key, each in value.items()}
            )
        case list() | tuple():
            return [_redacted(each, found, also, hidden=hidden) for each in value]
        case SecretStr():
            found.append(value.get_secret_value())
            return REDACTED
        case SecretBytes():
            return REDACTED
        case str() if hidden:
            found += [value, *value.split(" ")[1:]]  # errors quote `Bearer sk-…` without its first word
            return REDACTED
        case str():
            return _redacted_text(value, found)
        case bool() | None:
            return value
    return REDACTED if hidden else value


def _redacted_text(text: str, found: list[str]) -> str:
    """The text without passwords in URLs and without secrets in `name=value` pairs."""

    def in_url(match: re.Match[str]) -> str:
        user, password = unquote(match[1]), unquote(match[2])
        found.extend((match[2], password, b64encode(f"{user}:{password}".encode()).decode()))  # `Basic …`
        return f"{match[1]}:{REDACTED}"

    def assigned(match: re.Match[str]) -> str:
        if not is_secret(match[1]):
            return match[0]
        found.append(match[2])
        return f"{match[1]}={REDACTED}"

    return _ASSIGNED.sub(assigned, _IN_URL.sub(in_url, text))
