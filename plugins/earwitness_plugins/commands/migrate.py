"""`earwitness migrate FROM TO`: all stories and their memories move to another ledger and store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.loading.settings import Settings
    from earwitness.loading.strategy_spec import StrategySpec
    from earwitness_plugins.applications.migration import Moved


@story_command("migrate")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
async def command(cli: CliContext, source: str, target: str) -> None:
    """Move all stories, with everything that anybody remembers, from one ledger and store to others.

    The conversations of chat assistants that are kept on this machine move along.

    FROM and TO are settings files (postgres.toml) or files of the embedded store (story.db). FROM is only read; close
    programs that have it open. TO must be empty, or hold an interrupted move from FROM, which goes on where it
    stopped. At the end both are compared, story by story and container by container.
    """
    from earwitness.errors import InputError
    from earwitness_plugins.applications.assistants import ConversationFolders
    from earwitness_plugins.applications.migration import moved
    from earwitness_plugins.terminal.backends import opened_backends, settings_of
    from earwitness_plugins.terminal.context import is_empty_file, store_exists, store_file

    ours, theirs = settings_of(source), settings_of(target)
    ledger, store = _differ(ours, theirs, ours.ledger, theirs.ledger), _differ(ours, theirs, ours.store, theirs.store)
    if not (ledger or store):
        raise InputError(f"{source} and {target} are the same ledger and the same store. Nothing has to move.")
    if not store_exists(ours):
        named = "" if ours.path == source else f", which {source} names"
        raise InputError(f"there is no store {ours.path!r}{named}. Nothing can be moved.")
    if (file := store_file(ours)) is not None and is_empty_file(file):
        raise InputError(f"{str(file)!r} is an empty file and holds no stories. Nothing can be moved.")
    kept = ConversationFolders.of_settings(ours), ConversationFolders.of_settings(theirs)
    async with opened_backends(ours) as one, opened_backends(theirs) as other:
        with cli.progress("Moving", None) as advance:
            places = (each._replace(conversations=folders) for each, folders in zip((one, other), kept, strict=True))
            done = await moved(*places, ledger=ledger, store=store, seen=advance)
    cli.answer(
        {"from": source, "to": target, **done.model_dump(mode="json")}, _said(source, target, done, ledger=ledger)
    )


def _differ(ours: Settings, theirs: Settings, one: StrategySpec, other: StrategySpec) -> bool:
    """Whether two settings mean different ledgers or stores."""
    same_path = Path(ours.path or "").resolve() == Path(theirs.path or "").resolve()
    return (one.name, one.revealed) != (other.name, other.revealed) or not same_path


def _said(source: str, target: str, done: Moved, *, ledger: bool) -> str:
    from earwitness.records.prose import counted

    memories, containers = counted(done.memories, "memory", "memories"), counted(len(done.containers), "container")
    stories = f"{counted(len(done.sessions), 'story', 'stories')} and " if ledger else ""
    what = f"{stories}{memories} in {containers}"
    files = done.conversations
    conversations = counted(files.count, "conversation of a chat assistant", "conversations of chat assistants")
    if files.count and not files.is_one_folder:
        what = f"{what}, and {conversations}"
    stay = [f"{conversations}: left where {source} and {target} both keep them"] if files.is_one_folder else []
    moved = f"Moved {what} from {source} to {target}. Both hold the same."
    there = f"Nothing to move: {target} already holds all of {source}, {what}. Both hold the same."
    each_story = [
        f"{each.session}: {counted(each.entries, 'entry', 'entries')}, "
        f"{counted(each.deliveries, 'delivery', 'deliveries')}"
        for each in done.sessions
    ]
    return "\n  ".join([there if done.was_there else moved, *each_story, *(stay if files.count else [])])
