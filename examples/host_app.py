"""A small host: you talk with several characters in the terminal, and each remembers only what it has perceived.

    pip install 'earwitness[model]'
    export OPENAI_API_KEY=…                      # or, for a server of your own: export OPENAI_BASE_URL=http://localhost:8080/v1
    python examples/host_app.py story.db gpt-5   # the file for the story, and the model; an empty line ends it

START: what does the character remember now? MIDDLE: the model is called with it. END: what it says is reported.
"""

from __future__ import annotations

import asyncio
import sys

from openai import AsyncOpenAI, OpenAIError

from earwitness import Character, Earwitness, Session
from earwitness.errors import EarwitnessError
from earwitness.formats import as_said

CAST = (
    Character("mira", name="Mira", aliases=["innkeeper"]),
    Character("tom", name="Tom", aliases=["smith"]),
    Character("you", name="Traveller", kind="persona"),
)
CARDS = {"mira": "Mira keeps the inn and every secret told in it.", "tom": "Tom is a smith who owes money to Mira."}
PROMPT = "You are {name}, a character in a story. This is what you remember:\n###SUPERMEMORY###"


async def main(path: str, model: str) -> None:
    """Talk until the input ends."""
    async with AsyncOpenAI() as client, Earwitness.open(path) as ew:
        story = await ew.session("inn", cast=CAST, present=[each.id for each in CAST])
        await story.prepare(cards=CARDS)
        partner = "mira"
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            heard = await (await story.say("you", line)).settled()  # journalled: nothing is lost from here on
            partner = next((each for each in heard.addressees if each != "you"), partner)
            print(f"   heard by {', '.join(each for each in heard.participants if each != 'you') or 'nobody'}")
            if partner in heard.participants:
                await answer(story, partner, client, model)


async def answer(story: Session, character: str, client: AsyncOpenAI, model: str) -> None:
    """One character says something: the last 5 messages and 5 memories make the prompt."""
    name = story.cast[character].name
    turn = await story.turn(character, last=5, memories=5, permanent="always")  # START
    prompt = turn.prompt(PROMPT.format(name=name), f"(Answer as {name}, in a sentence or two.)")  # MIDDLE
    said = shown = ""
    try:
        stream = await client.chat.completions.create(model=model, messages=prompt, stream=True)  # type: ignore[arg-type]
        print(f"{name}: ", end="")
        async for chunk in stream:
            piece = (chunk.choices[0].delta.content or "") if chunk.choices else ""
            said += "".join(each for each in piece if each.isprintable() or each == "\n")
            whole = said[: said.rfind("<")] if said.rfind("<") > said.rfind(">") else said  # without half a tag
            before, shown = shown, as_said(whole)  # and without the reasoning of a model: <think>…</think>
            print(shown.removeprefix(before), end="", flush=True)
        print(as_said(said).removeprefix(shown))
    except Exception as error:  # noqa: BLE001 - whatever it is, what you said is remembered, and the story goes on
        why = str(error).replace(client.api_key, "…")  # a server may quote your key
        print(f"\n   {name} does not answer: {why}")
        return
    if as_said(said).strip():
        await (await turn.say(said)).settled()  # END
    else:
        print("   (That was not an answer. Is the address of the server right?)")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Name a file for the story, and the model that answers: python examples/host_app.py story.db gpt-5")
    try:
        asyncio.run(main(*sys.argv[1:]))
    except OpenAIError as error:
        sys.exit(f"{error}\nSet OPENAI_API_KEY; for a server of your own also OPENAI_BASE_URL (any key will do there).")
    except EarwitnessError as error:
        sys.exit(str(error))
