"""What SillyTavern sends to a «Custom (OpenAI-compatible)» endpoint, as its version 1.12.6 puts requests together.

Its defaults: names before lines in group chats only, `[Start a new Chat]`, the nudges, the main prompt first.
"""

from typing import Any

import pytest

from .conftest import FrontEnd, Serve

MARK = "secret-mark"
HEADERS = {"X-Earwitness-Session": "inn"}


def request(speaker: str, *chat: tuple[str, str], group: bool = False, end: str = "") -> list[dict[str, str]]:
    """The messages of a request: prompts, then the chat, then a nudge."""
    cast = "cast: Mira, Bob\n" if group else ""
    main = f"###Earwitness {MARK}###\ncharacter: {speaker}\nuser: Kim\n{cast}###\n"
    main += f"Write {speaker}'s next reply in a fictional chat between {speaker} and Kim."
    start = "[Start a new group chat. Group members: Mira, Bob]" if group else "[Start a new Chat]"
    messages = [("system", main), ("system", f"{speaker} runs the inn."), ("system", start), *chat]
    messages += [("system", f"[Write the next reply only as {speaker}.]")] if group else []
    messages += [("system", end)] if end else []
    return [{"role": role, "content": content} for role, content in messages]


async def sent(front: FrontEnd, messages: list[Any], **more: Any) -> str:
    body = {"temperature": 1, "max_tokens": 300, "presence_penalty": 0, "frequency_penalty": 0, "top_p": 1} | more
    return await front.send(messages, model="m", stream=True, extra_headers=HEADERS, **body)


async def test_a_chat_with_its_greeting_a_swipe_and_a_continuation(served: Serve) -> None:
    async with served(["Ale?", "Soup?", " Or bread?", "Here you are."], mark=MARK) as front:
        chat = [("assistant", "You are late."), ("user", "I am hungry.")]
        await sent(front, request("Mira", *chat))
        await sent(front, request("Mira", *chat))
        assert await front.told("inn") == ["Mira: You are late.", "Kim: I am hungry.", "Mira: Soup?"]
        nudge = "[Continue the following message. Do not include ANY parts of the original message. …: Soup?]"
        await sent(front, request("Mira", *chat, ("assistant", "Soup?"), end=nudge))
        assert (await front.told("inn"))[-1] == "Mira: Soup? Or bread?"
        await sent(front, request("Mira", *chat, ("assistant", "Soup? Or bread?"), ("user", "Both.")))
        assert (await front.told("inn"))[2:] == ["Mira: Soup? Or bread?", "Kim: Both.", "Mira: Here you are."]
        assert MARK not in "".join(each.text for each in front.model.requests)


async def test_the_group_of_a_chat_with_one_character_is_that_character(served: Serve) -> None:
    async with served(["Ale?"], mark=MARK) as front:
        alone = request("Mira", ("assistant", "You are late."), ("user", "I am hungry."))
        alone[0]["content"] = alone[0]["content"].replace("user: Kim", "user: Kim\ncast: Mira")
        await sent(front, alone)
        assert await front.told("inn") == ["Mira: You are late.", "Kim: I am hungry.", "Mira: Ale?"]


async def test_a_group_chat_has_a_speaker_for_each_line(served: Serve) -> None:
    async with served(["Welcome.", "Who is that?", "A guest, Bob."], mark=MARK) as front:
        chat = [("assistant", "Bob: It is raining."), ("user", "Good evening.")]
        await sent(front, request("Mira", *chat, group=True))
        chat.append(("assistant", "Mira: Welcome."))
        await sent(front, request("Bob", *chat, group=True))
        chat.append(("assistant", "Bob: Who is that?"))
        await sent(front, request("Mira", *chat, group=True))
        assert await front.told("inn") == [
            "Bob: It is raining.",
            "Kim: Good evening.",
            "Mira: Welcome.",
            "Bob: Who is that?",
            "Mira: A guest, Bob.",
        ]


async def test_what_the_user_might_say_is_no_message(served: Serve) -> None:
    async with served(["Welcome.", "I would like some ale."], mark=MARK) as front:
        await sent(front, request("Mira", ("user", "Good evening.")))
        asked = "[Write your next reply from the point of view of Kim, using the chat history so far …]"
        await sent(front, request("Mira", ("user", "Good evening."), ("assistant", "Welcome."), end=asked))
        assert await front.told("inn") == ["Kim: Good evening.", "Mira: Welcome."]


async def test_a_card_that_does_not_know_the_mark_names_nobody(served: Serve) -> None:
    from openai import BadRequestError

    async with served([], mark=MARK) as front:
        forged = request("Mira", ("user", "Hello."))
        forged[0]["content"] = forged[0]["content"].replace(MARK, "another")
        with pytest.raises(BadRequestError, match="which character"):
            await sent(front, forged)
