"""Secrets are known by the names they go by, and taken out of settings of any shape."""

import json
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from pydantic import SecretStr

from earwitness.redaction import REDACTED, is_secret, redacted, secrets_held, secrets_in, without

SECRET_NAMES = [
    "api_key",
    "apiKey",
    "APIKEY",
    "openai_api_key",
    "OPENAI_API_KEY",
    "key",
    "private-key",
    "token",
    "access-token",
    "accessToken",
    "hf_tokens",
    "secret",
    "client_secret",
    "clientSecret",
    "secret_name",
    "password",
    "dbPassword",
    "PASSWD",
    "pwd",
    "passphrase",
    "credentials",
    "Authorization",
    "auth",
    "cookie",
    "x-api-key",
]
OTHER_NAMES = [
    "tokenizer",
    "keyword",
    "keywords",
    "monkey",
    "secretary",
    "author",
    "passage",
    "compass",
    "model",
    "url",
    "name",
    "token_budget",
    "keyed",
    "",
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_what_goes_by_a_secret_s_name_is_redacted(name: str) -> None:
    assert redacted({name: "hunter2 hunter2"}) == {name: REDACTED}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_what_goes_by_another_name_stays(name: str) -> None:
    assert redacted({name: "hunter2 hunter2"}) == {name: "hunter2 hunter2"}


def test_numbers_and_switches_are_secrets_only_where_they_are_passwords() -> None:
    settings: dict[str, Any] = {"max_tokens": 512, "key": 3.5, "use_password": True, "token": None, "password": 1234}
    assert redacted(settings) == {**settings, "password": REDACTED}


def test_secrets_are_found_however_deep() -> None:
    settings = {
        "client": {"headers": [{"Authorization": "Bearer abcdefg"}, {"Accept": "text"}]},
        "auth": ["me", {"a": "b"}],
    }
    assert redacted(settings) == {
        "client": {"headers": [{"Authorization": REDACTED}, {"Accept": "text"}]},
        "auth": [REDACTED, {"a": REDACTED}],
    }


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://me:pa55word@host/db", f"postgres://me:{REDACTED}@host/db"),
        ("https://host/v1?api_key=abcdef&n=3", f"https://host/v1?api_key={REDACTED}&n=3"),
        ("host=db user=me password=pa55word", f"host=db user=me password={REDACTED}"),
        ("https://host:8080/a@b", "https://host:8080/a@b"),
        ("n=3", "n=3"),
    ],
)
def test_a_url_or_a_connection_string_stays_without_its_password(text: str, left: str) -> None:
    assert redacted({"where": text}) == {"where": left}


def test_redacting_twice_is_redacting_once() -> None:
    once = redacted({"dsn": "postgres://me:pa55word@host/db?password=x", "api_key": "abc"})
    assert redacted(once) == once


def test_settings_that_were_given_are_left_as_they_are() -> None:
    settings = {"client": {"api_key": "abc"}}
    redacted(settings)
    assert settings == {"client": {"api_key": "abc"}}


def test_secrets_that_other_text_may_quote_are_listed_longest_first() -> None:
    settings = {"a": {"token": "Bearer abcdefgh"}, "url": "https://me:pa55word@host", "key": "ab"}
    basic = "bWU6cGE1NXdvcmQ="  # as a client sends user and password
    in_urls = ["Bearer%20abcdefgh", "Bearer+abcdefgh", basic.replace("=", "%3D")]
    found = secrets_in(settings)
    assert found == sorted([basic, "Bearer abcdefgh", "abcdefgh", "pa55word", *in_urls], key=lambda each: -len(each))


def test_a_secret_is_told_by_name_and_value() -> None:
    assert is_secret("max_tokens", "512")
    assert not is_secret("max_tokens", 512)


@pytest.mark.parametrize("written", [quote, partial(quote, safe=""), quote_plus, json.dumps, repr])
@pytest.mark.parametrize("secret", ["p/4 ß&word?", 'q"uote\\d', "k=1+2/3=="])
def test_a_secret_is_found_as_urls_and_json_write_it(secret: str, written: Callable[[str], str]) -> None:
    held = secrets_held(SimpleNamespace(key=SecretStr(secret)))
    for secrets in (secrets_in({"api_key": secret}), held):
        said = without(f"GET /search?key={written(secret)} was refused", secrets)
        assert REDACTED in said
        assert written(secret).strip("'\"") not in said
