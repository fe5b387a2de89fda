"""What is wrong with a request, with the settings or with the model's server is said in one clear error."""

from typing import Any

import httpx
import pytest
from openai import APIError, AuthenticationError, BadRequestError, InternalServerError

from earwitness import Earwitness
from earwitness.errors import SettingsError
from earwitness_plugins.applications.proxy.endpoint import serving
from earwitness_plugins.applications.proxy.settings import ProxySettings
from earwitness_plugins.testing.model import ScriptedAnswer

from .conftest import TOKEN, Serve

WHERE = '"model": "m#session=s1&character=Alice&user=Kim"'
HALF = "half of a character"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (r'"messages": [{"role": "system", "content": "A \ud83d"}, {"role": "user", "content": "Hi."}]', HALF),
        (r'"messages": [{"role": "user", "content": "Hi.", "name": "\ud83d"}]', HALF),
        (r'"messages": [{"role": "user", "content": "Hi \ud83d"}]', HALF),
        (r'"messages": [{"role": "user", "content": "Hi."}], "stop": ["\ud83d"]', HALF),
        ('"messages": [{"role": "user", "content": "Hi."}], "temperature": NaN', "not JSON"),
        ('"messages": [{"role": "user", "content": "Hi."}], "temperature": 1e999', "not JSON"),
        ('"messages": [{"role": ["x"], "content": "Hi."}]', "the role of messages[0] is ['x']: it is one of system, "),
        (
            '"messages": [{"role": "user", "content": "Hi."}, {"role": {"a": 1}}]',
            "the role of messages[1] is {'a': 1}: it",
        ),
        ('"messages": [{"role": " ", "content": "Hi."}]', "the role of messages[0] is ' ': it is one of"),
        ('"messages": [{"role": null, "content": "Hi."}]', "the role of messages[0] is None: it is one of"),
        (
            '"messages": [{"content": "Hi."}]',
            "messages[0] has no role: it is one of system, developer, user, assistant, tool,",
        ),
    ],
)
async def test_what_is_no_request_for_others_is_refused_in_openais_shape(served: Serve, fields: str, why: str) -> None:
    async with served([]) as front, httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = await client.post(
            f"{front.url}/chat/completions", content=f"{{{WHERE}, {fields}}}".encode(), headers=headers
        )
        assert answer.status_code == 400
        assert why in answer.json()["error"]["message"]
        assert list(await front.ew.sessions()) == []


@pytest.mark.parametrize(
    ("path", "key", "why"),
    [
        ("/", None, "no API key was sent. This is an endpoint for front ends, not a page for browsers"),
        ("/v1/models", "Bearer wrong", "the API key is not this proxy's token"),
        ("/v1/embeddings", f"Bearer {TOKEN}", "there is no GET /v1/embeddings here. Front ends use GET /v1/models and"),
        ("/v1/chat/completions", f"Bearer {TOKEN}", "there is no GET /v1/chat/completions here."),
    ],
)
async def test_what_is_asked_at_another_address_is_told_what_there_is(
    served: Serve, path: str, key: str | None, why: str
) -> None:
    async with served([]) as front, httpx.AsyncClient() as client:
        headers = {"Authorization": key} if key else {}
        answer = await client.get(front.url.removesuffix("/v1") + path, headers=headers)
        assert answer.status_code == (404 if key and TOKEN in key else 401)
        assert answer.json()["error"]["message"].startswith(why)


async def test_a_name_that_is_no_text_joins_no_story(served: Serve) -> None:
    async with served([]) as front:
        with pytest.raises(BadRequestError, match="X-Earwitness-Character: '%FF%FE' is not percent-encoded UTF-8"):
            await front.ask("Hi.", extra_headers={"X-Earwitness-Character": "%FF%FE"})
        with pytest.raises(BadRequestError, match="the model's name"):
            await front.ask("Hi.", model="m#session=s1&character=%FF")
        assert list(await front.ew.sessions()) == []


@pytest.mark.parametrize("stream", [False, True])
async def test_a_key_that_the_model_refuses_is_not_the_proxys(served: Serve, stream: bool) -> None:
    async with served([ScriptedAnswer(status=401, error="Incorrect API key provided")]) as front:
        with pytest.raises(
            AuthenticationError, match=r"the model's server behind the proxy.*Incorrect API key"
        ) as raised:
            await front.ask("Hello?", stream=stream)
        assert "127.0.0.1" in str(raised.value)


async def test_an_answer_that_is_no_json_is_a_failure_of_the_models_server(served: Serve) -> None:
    async with served([ScriptedAnswer(raw=b"<html>nope</html>")]) as front:
        with pytest.raises(
            InternalServerError, match=r"127\.0\.0\.1.*it answered '<html>nope</html>', which is not a JSON object"
        ):
            await front.ask("Hello?")


async def test_a_server_that_is_down_is_named(served: Serve) -> None:
    gone: dict[str, Any] = {"base_url": "http://kim:secret@127.0.0.1:1/v1"}
    async with served([], model=gone) as front:
        for asked in (front.ask("Hello?"), front.client.models.list()):
            with pytest.raises(InternalServerError, match=r"127.0.0.1:1/v1 cannot be reached") as raised:
                await asked
            assert "secret" not in str(raised.value)
        assert isinstance(raised.value, APIError)


async def test_without_a_model_it_is_said_what_to_set() -> None:
    async with Earwitness.open(":memory:") as ew:
        with pytest.raises(SettingsError, match=r"a language model is needed.*\[model\] with model ="):
            async with serving(ew, token=TOKEN, settings=ProxySettings()):
                pass
