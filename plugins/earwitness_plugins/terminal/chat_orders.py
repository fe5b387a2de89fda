"""What a person may type behind a `/` in a chat: commands of click, whose object is the `ChatLoop`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from math import isfinite
from typing import Any

import click

from earwitness.errors import InputError, did_you_mean, quoted
from earwitness.records.state import day_text

from .chat_loop import ChatLoop

PLAIN: dict[str, Any] = {"ignore_unknown_options": True}
"""What begins with a dash is a word like any other."""
Order = Callable[..., Awaitable[None]]
ROLEPLAY = "start NAME | end | reconcile NAME personal|global|discard [apply]"


BACK = (
    "The story goes back to {day}: what was learned on later days is not recalled until these come again, but the last "
    "messages stay in the prompt. /day {before} returns."
)
BEFORE: dict[str | None, str] = {
    "open": ", which was open",
    "ended": ", which had ended, and goes on with all that was said in it",
    "kept": ", which was kept. It is open again, with all that was said in it; what was kept of it stays",
    "discarded": ", which was discarded. It is open again, with all that was said in it",
}
"""What to say of a role play that was begun before, by the status that it had."""


@click.group(add_help_option=False)
def orders() -> None:
    """What a line that begins with a slash may ask for."""


def _order(name: str) -> Callable[[Order], click.Command]:
    command: Callable[[Order], click.Command] = orders.command(name, add_help_option=False, context_settings=PLAIN)
    return command


def _words(metavar: str, *, required: bool = True) -> Callable[[Order], Order]:
    """All words of the line, as they are."""
    return click.argument("words", nargs=-1, type=click.UNPROCESSED, required=required, metavar=metavar)


async def do(line: str, loop: ChatLoop) -> None:
    """Do what a line asks for. Raises `ClickException`, `EarwitnessError`."""
    name, *words = line.split() or ["help"]
    order = name.lower()
    if order not in orders.commands:
        guess = did_you_mean(f"/{order}", order_names())
        raise InputError(f"there is no /{name}.{guess} /help shows all that there is.")
    if words and not orders.commands[order].params:
        raise InputError(f"/{order} takes no argument. Write /{order} alone.")
    try:
        asked = orders.main([order, *words], prog_name="", standalone_mode=False, obj=loop)
    except click.MissingParameter as missing:
        raise InputError(f"write {_usage(order)}") from missing
    if isinstance(asked, Awaitable):
        await asked


def order_names() -> list[str]:
    """All orders as they are typed."""
    return [f"/{name}" for name in orders.commands]


def name_first(loop: ChatLoop, words: Sequence[str]) -> tuple[str, str]:
    """Id of the character whose name the words begin with, and the words after it. Raises `UnknownName`."""
    cast = loop.chat.story.cast
    for number in range(len(words), 1, -1):
        if cast.called(name := " ".join(words[:number])):
            return cast.named(name).id, " ".join(words[number:])
    return cast.named(words[0]).id, " ".join(words[1:])


def one_name(loop: ChatLoop, words: Sequence[str]) -> str:
    """Id of the character named, or of the one whom the person plays. Raises `UnknownName`."""
    if not words:
        return loop.chat.person
    found, rest = name_first(loop, words)
    return loop.chat.story.cast.named(" ".join(words)).id if rest else found


# ── talking ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@_order("whisper")
@_words("NAME TEXT")
@click.pass_obj
async def whisper(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Say it to NAME alone, who answers in a whisper."""
    to, text = name_first(loop, words)
    if not text:
        raise InputError("say what to whisper: /whisper NAME TEXT.")
    await loop.say(text, to=to)


@_order("next")
@_words("[NAME]", required=False)
@click.pass_obj
async def next_one(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Let NAME say something, or whoever answered last."""
    who = one_name(loop, words) if words else loop.chat.answered
    if who is None or who == loop.chat.person:
        raise InputError("say who: /next NAME.")
    loop.chat.refuse_absent(who)
    await loop.answer(who)


@_order("reroll")
@click.pass_obj
async def reroll(loop: ChatLoop) -> None:
    """Ask for another answer in place of the last one; or for an answer, if what you said got none."""
    if (character := await loop.chat.last_answer()) is None:
        await loop.answers()
    else:
        await loop.reroll(character)


@_order("edit")
@_words("TEXT")
@click.pass_obj
async def edit(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Correct what you said last: everybody who heard it remembers the new words."""
    loop.heard(await loop.chat.edit(" ".join(words)))


# ── the scene ───────────────────────────────────────────────────────────────────────────────────────────────────────


@_order("as")
@_words("NAME")
@click.pass_obj
async def play_as(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Speak as NAME from now on."""
    loop.chat.person = one_name(loop, words)
    loop.screen.tell({"person": loop.chat.person}, f"You are {loop.screen.person}.")


@_order("who")
@click.pass_obj
async def who(loop: ChatLoop) -> None:
    """Show who is here, and who is not."""
    here = set(loop.chat.story.state.here)
    away = [id for id in loop.chat.story.cast.ids if id not in here]
    people = loop.screen.people
    shown = people.names(id for id in loop.chat.story.cast.ids if id in here)
    shown.append(f"  (not here: {', '.join(map(people.called, away))})" if away else "", style="dim")
    loop.screen.tell({"here": sorted(here), "away": away}, shown)


@_order("leave")
@_words("[NAME]", required=False)
@click.pass_obj
async def leave(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Let NAME leave the scene, or leave it yourself."""
    who = one_name(loop, words)
    await (await loop.chat.story.leave(who)).decided()
    loop.screen.tell({"leave": who}, f"← {loop.screen.people.called(who)} is away")


@_order("enter")
@_words("[NAME]", required=False)
@click.pass_obj
async def enter(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Let NAME come in, or come in yourself."""
    who = one_name(loop, words)
    await (await loop.chat.story.enter(who)).decided()
    loop.screen.tell({"enter": who}, f"→ {loop.screen.people.called(who)} comes in")


@_order("day")
@_words("[DAY]", required=False)
@click.pass_obj
async def day(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Go on to a game day: what is due by then arrives. Without DAY, show which it is."""
    before = loop.chat.story.state.game_day
    if words:
        await (await loop.chat.story.change(game_day=_day(words))).decided()
    now = loop.chat.story.state.game_day
    loop.screen.tell({"gameDay": now}, f"── {loop.screen.people.day(now)}")
    if now < before:
        loop.screen.note(BACK.format(day=loop.screen.people.day(now), before=day_text(before)))


def _day(words: Sequence[str]) -> float:
    try:
        if isfinite(given := float(" ".join(words))):
            return given
    except ValueError:
        pass
    raise InputError(f"{quoted(' '.join(words))} is not a game day: a finite number is needed, as in /day 9.")


@_order("roleplay")
@_words(ROLEPLAY, required=False)
@click.pass_obj
async def roleplay(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Begin, end or reconcile a role play: a bubble, from which nothing leaks until you say what becomes of it."""
    match words:
        case ("start", name):
            session, before = await loop.role_plays.start(name)
            data = {"roleplay": name, "session": session.id, "before": before}
            loop.screen.tell(data, f"In the role play {name!r}{BEFORE.get(before, '')}. /roleplay end ends it.")
        case ("end",):
            name = await loop.role_plays.end()
            kept = f"/roleplay reconcile {name} personal|global|discard says what becomes of it."
            loop.screen.tell({"ended": name}, f"The role play {name!r} has ended. {kept}")
        case ("reconcile", name, ("personal" | "global" | "discard") as keep_as, *rest) if rest in ([], ["apply"]):
            done, applied = await loop.role_plays.reconcile(name, keep_as, apply=bool(rest))
            hint = "" if applied else "\nNothing was changed. To do it, add apply."
            loop.screen.tell({"reconciled": name, "applied": applied}, done + hint)
        case _:
            raise InputError(f"write /roleplay {ROLEPLAY}")


# ── looking behind the scenes ───────────────────────────────────────────────────────────────────────────────────────


@_order("who-knows")
@_words("TEXT")
@click.pass_obj
async def who_knows(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Show who knows about something, and how; no character can see that."""
    from earwitness_plugins.applications.stories.events import WhoKnowsPlayed

    from .memories import knowledge

    text = " ".join(words)
    answer = await loop.chat.story.backstage(role="owner").who_knows(text)
    shown = WhoKnowsPlayed(text=text, knowers=answer.knowers)
    loop.screen.tell(answer.model_dump(mode="json"), knowledge(shown, loop.screen.people))


@_order("recall")
@_words("NAME [QUERY]")
@click.pass_obj
async def recall(loop: ChatLoop, words: tuple[str, ...]) -> None:
    """Show what comes to NAME's mind now, or about QUERY."""
    from earwitness_plugins.applications.stories.player import asked, recollection
    from earwitness_plugins.applications.stories.steps import RecallStep

    from .memories import recollection as panel

    who, query = name_first(loop, words)
    turn = await asked(loop.chat.story, who, query or None)
    found = recollection(turn, RecallStep(character=who, query=query or None, show=12))
    loop.screen.tell(found.model_dump(mode="json"), panel(found, loop.screen.people))


@_order("costs")
@click.pass_obj
async def costs(loop: ChatLoop) -> None:
    """Show what models were asked in this story, and what that cost."""
    spent = await loop.chat.story.backstage(role="owner").costs()
    loop.screen.tell(spent.model_dump(mode="json"), str(spent))


@_order("help")
@click.pass_obj
async def show_help(loop: ChatLoop) -> None:
    """Show this."""
    loop.screen.help([(_usage(name), " ".join((each.help or "").split())) for name, each in orders.commands.items()])


def _usage(name: str) -> str:
    """How an order is typed: `/whisper NAME TEXT`."""
    command = orders.commands[name]
    pieces = command.collect_usage_pieces(click.Context(command, info_name=name))
    return " ".join([f"/{name}", *(each for each in pieces if each != "[OPTIONS]")])


@_order("quit")
@click.pass_obj
async def leave_chat(loop: ChatLoop) -> None:
    """End the chat. The story stays as it is; come back with the same command."""
    loop.over = True
