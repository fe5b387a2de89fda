"""What front ends do: they send the last line alone, delete, go away in mid-stream, and there may be two proxies."""

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI, BadRequestError

from earwitness import Earwitness
from earwitness_plugins.applications.proxy.endpoint import serving
from earwitness_plugins.applications.proxy.settings import ProxySettings
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import TOKEN, FrontEnd, Serve

ALICE = "m#session=s1&character=Alice&user=Kim"


async def test_a_front_end_that_sends_only_the_last_line_tells_a_story_all_the_same(served: Serve) -> None:
    async with served(["A.", "B.", "B again.", "C."]) as front:
        for line in ("Good evening.", "Where is the sword?", "Where is the sword?", "Thank you."):
            await front.ask(line)
        assert await front.told() == [
            "Kim: Good evening.",
            "Alice: A.",
            "Kim: Where is the sword?",
            "Alice: B again.",
            "Kim: Thank you.",
            "Alice: C.",
        ]


async def test_lines_that_were_deleted_at_the_end_are_gone_with_the_next_request(served: Serve) -> None:
    async with served(["A.", "B.", "C.", "D."]) as front:
        await front.ask("1")
        await front.ask("1", "A.", "2")
        await front.ask("1", "A.", model=f"{ALICE}&action=swipe")  # 2 and B. were deleted, and Alice is asked to go on
        assert await front.told() == ["Kim: 1", "Alice: A.", "Alice: C."]
        await front.ask("1", "A.", "2")  # C. was deleted, and 2 comes back as it was
        assert await front.told() == ["Kim: 1", "Alice: A.", "Kim: 2", "Alice: D."]
        assert len(set(await _keys(front))) == 4


@pytest.mark.parametrize(("missing", "left"), [("kept", 8), ("retracted", 6)])
async def test_what_is_missing_in_the_middle_is_hidden_or_deleted_as_the_settings_say(
    served: Serve, missing: Any, left: int
) -> None:
    async with served(["A.", "B.", "C.", "D."], missing=missing) as front:
        await front.ask("1")
        await front.ask("1", "A.", "2")
        await front.ask("1", "A.", "2", "B.", "3")
        await front.ask("1", "A.", "3", "C.", "4")
        assert len(await front.told()) == left


async def test_a_message_deleted_while_the_model_answers_is_gone_with_the_next_request(served: Serve) -> None:
    async with served([ScriptedAnswer(text="slow " * 20, drip=0.05), "To Kim."]) as front:
        stopped = await front.client.chat.completions.create(model=ALICE, messages=_chat("Mistyped."), stream=True)
        async for _ in stopped:
            break
        await stopped.close()
        await front.ask("Well typed.", model=f"{ALICE}&action=reroll")
        assert await front.told() == ["Kim: Well typed.", "Alice: To Kim."]


async def test_a_front_end_that_goes_away_in_mid_stream_neither_loses_nor_doubles(served: Serve) -> None:
    async with served([ScriptedAnswer(text="half " * 40, drip=0.05), "Whole."]) as front:
        body = {"model": ALICE, "messages": _chat("Speak."), "stream": True}
        key = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx.AsyncClient() as client,
            client.stream("POST", f"{front.url}/chat/completions", json=body, headers=key) as answer,
        ):
            async for _ in answer.aiter_bytes():
                break
        assert await front.ask("Speak.", stream=True) == "Whole."
        assert await front.told() == ["Kim: Speak.", "Alice: Whole."]
        total = (await (await front.story()).backstage().costs()).total
        assert (total.calls, total.failed) == (2, 1)


async def test_a_front_end_that_does_not_wait_for_a_whole_answer_leaves_nobody_with_it(served: Serve) -> None:
    async with served([ScriptedAnswer("Too late.", delay=1.5), "In time."]) as front:
        await _gives_up(front, "Mistyped.")
        assert await front.ask("Mistyped.", model=f"{ALICE}&action=reroll") == "In time."
        assert await front.told() == ["Kim: Mistyped.", "Alice: In time."]
        total = (await (await front.story()).backstage().costs()).total
        assert (total.calls, total.failed) == (2, 1)


async def test_a_request_whose_front_end_has_gone_while_it_waited_asks_no_model(served: Serve) -> None:
    async with served([ScriptedAnswer("One.", delay=1.5), "Two."]) as front:
        first = asyncio.create_task(front.ask("Hello."))
        await asyncio.sleep(0.5)
        await _gives_up(front, "Hello.", "One.", "And then? I am listening.")
        assert await first == "One."
        await (await front.story()).settled()
        assert len(front.model.requests) == 1
        assert await front.ask("Hello.", "One.", "And then? I am listening.") == "Two."
        assert (await front.told())[-2:] == ["Kim: And then? I am listening.", "Alice: Two."]


async def _gives_up(front: Any, *chat: str) -> None:
    """Sends a chat as a front end whose user stops it soon."""
    body, key = {"model": ALICE, "messages": _chat(*chat)}, {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(timeout=0.5) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(f"{front.url}/chat/completions", json=body, headers=key)


async def test_an_action_says_what_the_messages_do_not(served: Serve) -> None:
    async with served(["One.", "Two.", " Three.", "I would say so.", "They count."]) as front:
        await front.ask("Count.")
        await front.ask("Count!", model=f"{ALICE}&action=regenerate")
        await front.ask("Count!", "Two.", model=f"{ALICE}&action=continue")
        await front.ask("Count!", "Two. Three.", model=f"{ALICE}&action=impersonate")
        await front.ask("Count!", "Two. Three.", "Sum it up.", model=f"{ALICE}&action=quiet")
        assert await front.told() == ["Kim: Count!", "Alice: Two. Three."]
        with pytest.raises(BadRequestError, match="Known: auto, continue, reroll, user, none, normal"):
            await front.ask("Count!", model=f"{ALICE}&action=rerol")


async def test_a_table_in_the_body_says_where_a_request_belongs_and_the_model_never_sees_it(served: Serve) -> None:
    where: dict[str, Any] = {"session": "inn", "character": "Мира", "user": "Kim", "cast": ["Мира", "Bob"]}
    async with served(["Добрый вечер."]) as front:
        await front.ask("Good evening.", model="m", extra_body={"earwitness": {**where, "action": "normal"}})
        assert await front.told("inn") == ["Kim: Good evening.", "Мира: Добрый вечер."]
        assert "earwitness" not in front.model.requests[0].body
        with pytest.raises(BadRequestError, match="must be text"):
            await front.ask("Hi.", model="m", extra_body={"earwitness": {"session": 5}})
        with pytest.raises(BadRequestError, match="field 'sesion' is unknown"):
            await front.ask("Hi.", model="m", extra_body={"earwitness": {"sesion": "inn"}})


async def test_a_macro_that_was_not_filled_in_names_no_story(served: Serve) -> None:
    async with served([]) as front:
        with pytest.raises(BadRequestError, match="has not filled in"):
            await front.ask("Hi.", model="m", extra_body={"earwitness": {"session": "{{story}}", "character": "A"}})
        assert list(await front.ew.sessions()) == []


async def test_what_was_said_under_another_persona_is_known_with_its_name_before_it(served: Serve) -> None:
    async with served(["One.", "Two."]) as front:
        await front.ask("I am Kim.", model="m#session=s1&character=Alice&user=Kim")
        await front.ask("Kim: I am Kim.", "One.", "I am Lee.", model="m#session=s1&character=Alice&user=Lee")
        assert await front.told() == ["Kim: I am Kim.", "Alice: One.", "Lee: I am Lee.", "Alice: Two."]
        assert {each.message.revision for each in await (await front.story()).messages()} == {0}


async def test_a_line_that_the_front_end_changed_beyond_recognition_is_shown_to_nobody(served: Serve) -> None:
    address = "m#session=s1&user=Kim&cast=Alice,Bob&character="
    evening = {"role": "user", "content": "Good evening, all."}
    whisper = {"role": "user", "content": '*whispers to Alice* "The sword is mine."'}
    async with served(["Hush.", "What?"]) as front:
        await front.send([evening, whisper], model=f"{address}Alice")
        changed = {"role": "user", "content": "(summary) Kim told Alice whose the sword is."}
        rest = [{"role": "assistant", "content": "Alice: Hush."}, {"role": "user", "content": "Bob?"}]
        await front.send([changed, *rest], model=f"{address}Bob")
        assert "sword" not in front.model.requests[-1].text
        assert "Bob?" in front.model.requests[-1].text


async def test_a_name_that_a_model_puts_before_its_answer_is_not_said(served: Serve) -> None:
    async with served(["Alice: Hello.", "Bye."]) as front:
        await front.ask("Hi.")
        await front.ask("Hi.", "Alice: Hello.", "Bye?")
        assert await front.told() == ["Kim: Hi.", "Alice: Hello.", "Kim: Bye?", "Alice: Bye."]
        assert {each.message.revision for each in await (await front.story()).messages()} == {0}


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
async def test_two_proxies_on_one_database_take_a_line_once(
    tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    numbers = count()
    with ScriptedModel(lambda asked: f"Answer {next(numbers)} to {asked.messages[-1]['content']}") as model:
        settings: dict[str, Any] = {"model": model.settings()}
        if backend == "postgres":
            ledger = {"name": "postgres", "dsn": request.getfixturevalue("postgres_dsn")}
            settings |= {"ledger": ledger, "store": ledger}

        async def client_of(ew: Earwitness, url: str) -> AsyncOpenAI:
            return AsyncOpenAI(base_url=url, api_key=TOKEN, max_retries=0, timeout=60)

        async with (
            Earwitness.open(tmp_path / "story.db", settings=settings, strict=True) as one,
            Earwitness.open(tmp_path / "story.db", settings=settings, strict=True) as two,
            serving(one, token=TOKEN, settings=ProxySettings()) as first,
            serving(two, token=TOKEN, settings=ProxySettings()) as second,
            await client_of(one, first.url) as left,
            await client_of(two, second.url) as right,
        ):
            fronts = [FrontEnd(one, first.url, left, model), FrontEnd(two, second.url, right, model)]
            said: list[str] = []
            for line in ("Hello.", "Hello.", "Where is it?"):
                said.append(line)
                answers = await asyncio.gather(*(front.ask(*said) for front in fronts for _ in range(2)))
                said.append(answers[0])
            for front in fronts:
                told = await front.told()
                assert told[:-1] == [f"{('Kim', 'Alice')[n % 2]}: {each}" for n, each in enumerate(said[:-1])]
                assert told[-1] in {f"Alice: {each}" for each in answers}


def _chat(*lines: str) -> list[Any]:
    return [{"role": ("user", "assistant")[n % 2], "content": each} for n, each in enumerate(lines)]


async def _keys(front: FrontEnd) -> list[str]:
    return [each.key for each in await (await front.story()).messages()]
