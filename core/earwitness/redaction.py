"""Secrets out of settings, by the names they go by: what is recorded and shown holds `**********` in their place.

A setting typed `SecretStr` says itself that it is a secret; this is for settings that do not, in records of any age.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REDACTED = "**********"
"""As pydantic prints a `SecretStr`."""
SHORTEST = 6
"""A secret shorter than this is not looked for in other text: any word might hold it."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = frozenset({"auth", "authorization", "bearer", "cookie", "credential", "jwt", "pass", "passwd", "pwd"})
_SECRET_ENDINGS = ("secret", "secrets", "password", "passwords", "passphrase", "credentials", "cookies")
_SECRET_TEXT = frozenset({"key", "keys"})
_SECRET_TEXT_ENDINGS = ("token", "tokens", "apikey", "apikeys")
_IN_URL = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)(?=@)")
_ASSIGNED = re.compile(r"([\w.-]+)=([^&#;\s]+)")


def redacted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with every secret in them redacted, however deep: by the key it stands under, and in URLs."""
    return {key: _redacted(value, [], hidden=is_secret(key, value)) for key, value in settings.items()}


def secrets_in(settings: Mapping[str, Any]) -> list[str]:
    """What `redacted` takes out of the settings, longest first, where it is long enough to be found in other text."""
    found: list[str] = []
    _redacted(settings, found)
    return sorted({each for each in found if len(each) >= SHORTEST}, key=lambda each: (-len(each), each))


def is_secret(name: str, value: object = "") -> bool:
    """Whether what stands under this name is a secret: `api_key`, `clientSecret`, `access-token`, `PASSWORD`.

    `max_tokens = 512` and `tokenizer` are none, nor is a switch.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if value is None or isinstance(value, bool) or not words:
        return False
    if any(word in _SECRET or word.endswith(_SECRET_ENDINGS) for word in words):
        return True
    last = words[-1]
    return not isinstance(value, int | float) and (last in _SECRET_TEXT or last.endswith(_SECRET_TEXT_ENDINGS))


def _redacted(value: Any, found: list[str], *, hidden: bool = False) -> Any:
    """The value without secrets, which are added to `found`; of what is `hidden` nothing is left but its shape."""
    match value:
        case Mapping():
            return {key: _redacted(each, found, hidden=hidden or is_secret(key, each)) for key, each in value.items()}
        case list() | tuple():
            return [_redacted(each, found, hidden=hidden) for each in value]
        case str() if hidden:
            found += [value, *value.split(" ")[1:]]  # `Bearer sk-…` is quoted without its first word
            return REDACTED
        case str():
            return _redacted_text(value, found)
        case bool() | None:
            return value
    return REDACTED if hidden else value


def _redacted_text(text: str, found: list[str]) -> str:
    """Text without the passwords of its URLs and the secrets among its `name=value` pairs."""

    def in_url(match: re.Match[str]) -> str:
        found.append(match[2])
        return f"{match[1]}:{REDACTED}"

    def assigned(match: re.Match[str]) -> str:
        if not is_secret(match[1]):
            return match[0]
        found.append(match[2])
        return f"{match[1]}={REDACTED}"

    return _ASSIGNED.sub(assigned, _IN_URL.sub(in_url, text))
