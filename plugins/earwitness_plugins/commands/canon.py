"""`earwitness canon list|show|add|start|end|propose|reconcile`: what is true beyond a story, and a story's bubbles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, options, story_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earwitness import Memory

USER = click.option("--user", metavar="ID", help="The user who acts; a player needs it.")

WHOSE = {"character": "whose canon it is"}
NEEDED = {
    "global": WHOSE,
    "personal": {**WHOSE, "about": "the persona it is about"},
    "session": WHOSE,
    "user": {"about": "the user it is about"},
}
"""Scope → the options that it needs, and what they say."""


@click.group("canon", cls=GuessingGroup)
def command() -> None:
    """Show and write what is true of characters beyond a story, and run the bubbles of a story."""


@story_command("list")
@click.argument("session")
async def bubbles(cli: CliContext, session: str) -> None:
    """List the bubbles of a story, and what became of them."""
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        found = await story.canon.bubbles()
        lines = [plain(str(each)) for each in found] or [f"{plain(session)} has no bubbles."]
        cli.answer({"bubbles": [each.model_dump(mode="json") for each in found]}, "\n".join(lines))


@story_command("show")
@click.argument("session")
@click.argument("character")
async def show(cli: CliContext, session: str, character: str) -> None:
    """Show what a character knows beyond a story, by container, and in each of its bubbles."""
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        found = await story.canon.memories(character)
        data = {name: [each.model_dump(mode="json") for each in memories] for name, memories in found.items()}
        lines = [line for name, memories in found.items() for line in _shown(name, memories)]
        cli.answer(data, plain("\n".join(lines)))


def _shown(name: str, memories: Sequence[Memory]) -> list[str]:
    """A container and what it holds, with the number of each version but the first."""
    numbers = [each.metadata.get("version", 1) for each in memories]
    versions = ["" if number == 1 else f" (version {number})" for number in numbers]
    held = [f"  {each}{version}" for each, version in zip(memories, versions, strict=True)]
    return [name, *(held or ["  nothing"])]


def _refuse_missing(scope: str, **given: str | None) -> None:
    """Raise `UsageError`, in the words of the command line, for an option that the scope needs."""
    for option, what in NEEDED[scope].items():
        if given[option] is None:
            raise click.UsageError(f"--scope {scope} needs --{option} ID, {what}.")


@story_command("add")
@click.argument("session")
@click.argument("text")
@click.option("--scope", type=click.Choice(["global", "personal", "session", "user"]), required=True, help="The scope.")
@click.option("--character", metavar="ID", help="Whose canon it is; not for user.")
@click.option("--about", metavar="ID", help="For personal, the persona it is about; for user, the user.")
@options.channel
@options.role
@USER
async def add(
    cli: CliContext, session: str, text: str, about: str | None, scope: str, role: str, user: str | None, **given: Any
) -> None:
    """Write a memory by hand into a scope.

    Without a channel it counts as learned in the unnamed private channel of the story.
    """
    _refuse_missing(scope, character=given["character"], about=about)
    async with cli.open() as ew:
        story = await ew.open_session(session)
        whose = {} if about is None else {"user" if scope == "user" else "persona": about}
        outcome = await story.canon.acting(role=role, user=user).add(text, scope=scope, **whose, **given)
        await story.delivered()
        cli.answer({"key": outcome.key, "scope": scope}, f"Written, under the key {outcome.key}.")


@story_command("start")
@click.argument("session")
@click.argument("name")
@click.option(
    "--knows",
    multiple=True,
    type=click.Choice(["cards", "global", "personal", "users", "pantheons", "story", "nothing"]),
    default=("cards", "global"),
    show_default=True,
    help="What its characters know from outside; may be repeated.",
)
async def start(cli: CliContext, session: str, name: str, knows: tuple[str, ...]) -> None:
    """Begin a bubble of a story, or go on with it. It is a session of its own, with the story's cast and day."""
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        known = [each for each in knows if each != "nothing"]
        bubble = await (await ew.open_session(session)).bubble(name, knows=known)
        cli.answer(bubble.link.model_dump(mode="json"), f"The bubble is the session {plain(bubble.link.id)}.")


@story_command("end")
@click.argument("session")
@click.argument("name")
@options.role
@USER
async def end(cli: CliContext, session: str, name: str, role: str, user: str | None) -> None:
    """End a bubble. Its memories stay in it until they are reconciled."""
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        await (await ew.open_session(session)).canon.acting(role=role, user=user).end(name)
        cli.answer({"ended": name}, f"{plain(name)} has ended.")


@story_command("reconcile")
@click.argument("session")
@click.argument("name")
@click.option("--keep-as", type=click.Choice(["personal", "global", "discard"]), help="What its memories become.")
@click.option(
    "--mode",
    type=click.Choice(["append", "replace"]),
    default="append",
    show_default=True,
    help="Conflicting versions stand side by side, or the new ones replace the old ones.",
)
@click.option(
    "--only", multiple=True, metavar="ID", help="Only the memory with this ID (--json shows it); may be repeated."
)
@click.option(
    "--publish", is_flag=True, help="For global, also what was learned in private: it is known everywhere then."
)
@click.option("--apply", is_flag=True, help="Do it. Without this, only say what would be done.")
@click.option("--undo", is_flag=True, help="Take back what was done.")
@options.role
@USER
async def reconcile(
    cli: CliContext,
    session: str,
    name: str,
    keep_as: str | None,
    mode: str,
    only: tuple[str, ...],
    publish: bool,
    apply: bool,
    undo: bool,
    role: str,
    user: str | None,
) -> None:
    """Keep the memories of a bubble as canon, or discard them. Says what would be done, unless you --apply it."""
    from earwitness_plugins.terminal.people import plain

    if undo == (keep_as is not None):
        raise click.UsageError("give either --keep-as personal, global or discard, or --undo.")
    async with cli.open() as ew:
        canon = (await ew.open_session(session)).canon.acting(role=role, user=user)
        if undo:
            undone = await canon.undo(name)
            cli.answer({"undone": name, **undone.model_dump(mode="json")}, plain(str(undone)))
            return
        done = await canon.reconcile(
            name, keep_as=keep_as, mode=mode, only=only or None, publish=publish, dry_run=not apply
        )
        hint = "" if done.applied else "\nNothing was changed. To do it, add --apply."
        cli.answer({**done.model_dump(mode="json"), "applied": done.applied}, plain(str(done)) + hint)


@story_command("propose")
@click.argument("session")
@click.argument("name")
@click.option(
    "--write",
    type=click.Choice(["review", "off", "auto"]),
    default="review",
    show_default=True,
    help="Let it wait for `earwitness review`, propose nothing, or keep it at once.",
)
@options.role
async def propose(cli: CliContext, session: str, name: str, write: str, role: str) -> None:
    """Let the model of the settings propose what to keep of a bubble, memory by memory. Nothing is kept before you
    approve it."""
    from earwitness_plugins.terminal.people import plain
    from earwitness_plugins.terminal.warnings import warn

    async with cli.open() as ew:
        story = await ew.open_session(session)
        done = await story.reconciliation.propose(name, write=write, role=role)
        warn([each.rstrip(".") for each in done.failures])
        notes = [f"note: {each}" for each in done.notes]
        waits = [each for each in done.proposals if each.status == "waiting"]
        hint = [f"Nothing is kept yet. Look at each with `earwitness review show {session} ID`."] if waits else []
        cli.answer(done.model_dump(mode="json"), plain("\n".join([str(done), *notes, *hint])))


for _each in (bubbles, show, add, start, end, propose, reconcile):
    command.add_command(_each)
