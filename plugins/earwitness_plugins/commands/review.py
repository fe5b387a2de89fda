"""`earwitness review list|show|approve|reject SESSION`: what models would write, and what you say to it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, options, story_command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from earwitness import Earwitness, Session
    from earwitness_plugins.applications.assistants import ConversationReview
    from earwitness_plugins.review import Review, Reviewed, ReviewStatus

    Queue: TypeAlias = Review | ConversationReview

NOTHING = "Nothing waits for review."
PROPOSALS = click.argument("proposals", nargs=-1, metavar="[PROPOSAL]…")
ALL = click.option("--all", "everything", is_flag=True, help="All that waits.")


@click.group("review", cls=GuessingGroup)
def command() -> None:
    """Show, approve or reject what models would write: facts, summaries, reconciliations.

    SESSION is a story; or, for what a model would remember of a chat assistant's conversations, the name of their
    container, such as conversation-nanobot_memory.
    """


@story_command("list")
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help="Also what was approved, rejected, or fell.")
@click.option("--kind", help="Only of this kind, such as fact or consolidation.")
@options.role
async def list_(cli: CliContext, session: str | None, everything: bool, kind: str | None, role: str) -> None:
    """List what waits for review, oldest first; without SESSION, in all stories and conversations."""
    from earwitness_plugins.terminal.people import plain

    status: ReviewStatus | None = None if everything else "waiting"
    async with cli.open() as ew:
        names = [session] if session else [*await ew.sessions(), ew.conversation.container.name]
        found: list[Reviewed] = []
        for name in names:
            review, _ = await _queue(ew, name)
            found += await review.acting(role=role).proposals(status=status, kind=kind)
        lines = (str(each) if session else f"{each.session}  {each}" for each in found)
        cli.answer([_data(each) for each in found], "\n".join(map(plain, lines)) or NOTHING)


@story_command("show")
@click.argument("session")
@click.argument("proposal")
@options.role
async def show(cli: CliContext, session: str, proposal: str, role: str) -> None:
    """Show a proposal: what would be written, what it rests on, and who proposes it."""
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        review, _ = await _queue(ew, session)
        found = await review.acting(role=role).get(proposal)
        cli.answer(_data(found), plain("\n".join(_told(found))))


@story_command("approve")
@click.argument("session")
@PROPOSALS
@ALL
@click.option("--content", metavar="TEXT", help="Other words for the only memory of the proposal.")
@options.role
async def approve(
    cli: CliContext, session: str, proposals: tuple[str, ...], everything: bool, content: str | None, role: str
) -> None:
    """Approve proposals: what they say is written now. Their ids, or the beginnings of these."""
    async with cli.open() as ew:
        queue, story = await _queue(ew, session)
        review = queue.acting(role=role)
        chosen = await _chosen(review, proposals, everything)
        done, failed = await _each(chosen, partial(review.approve, content=content))
        if story is not None:
            await story.delivered()
        cli.answer([_data(each) for each in done], "\n".join(_written(done)) or ("" if failed else NOTHING))
        _finish(cli, "approved", failed)


@story_command("reject")
@click.argument("session")
@PROPOSALS
@ALL
@click.option("--reason", default="", help="Why; the story records it.")
@options.role
async def reject(
    cli: CliContext, session: str, proposals: tuple[str, ...], everything: bool, reason: str, role: str
) -> None:
    """Reject proposals, for good: the same is not proposed again."""
    async with cli.open() as ew:
        review = (await _queue(ew, session))[0].acting(role=role)
        chosen = await _chosen(review, proposals, everything)
        done, failed = await _each(chosen, partial(review.reject, reason=reason))
        shown = "\n".join(f"Rejected: {each.id}" for each in done)
        cli.answer([_data(each) for each in done], shown or ("" if failed else NOTHING))
        _finish(cli, "rejected", failed)


async def _queue(ew: Earwitness, name: str) -> tuple[Queue, Session | None]:
    """The queue of a story, with the story; or that of a chat assistant's conversations. Raises `UnknownName`."""
    from earwitness.errors import UnknownName

    if name == ew.conversation.container.name and name not in await ew.sessions():
        return ew.conversation.review, None
    try:
        story = await ew.open_session(name)
    except UnknownName as error:
        if not await ew.conversation.keys():
            raise
        queue = ew.conversation.container.name
        raise UnknownName(f"{error} What waits of the conversations of a chat assistant is in {queue!r}.") from error
    return story.review, story


async def _each(
    ids: Sequence[str], decide: Callable[[str], Awaitable[Reviewed]]
) -> tuple[list[Reviewed], dict[str, str]]:
    """Decide each of several proposals. What came of them, and why the others could not be decided. Raises what the
    only one raises."""
    from earwitness.errors import EarwitnessError, StorageError

    done: list[Reviewed] = []
    failed: dict[str, str] = {}
    for id in ids:
        try:
            done.append(await decide(id))
        except StorageError:
            raise
        except EarwitnessError as error:
            if len(ids) == 1:
                raise
            failed[id] = str(error)
    return done, failed


def _finish(cli: CliContext, decided: str, failed: Mapping[str, str]) -> None:
    """Say what could not be decided, and end with exit code 1 if there is anything."""
    from earwitness_plugins.terminal.people import plain

    for id, why in failed.items():
        click.echo(plain(f"Not {decided}: {id}: {why}"), err=True)
    cli.finish(ok=not failed)


async def _chosen(review: Queue, named: Sequence[str], everything: bool) -> list[str]:
    """The ids that were given, or all that waits. Raises `UnknownName` before anything is done."""
    if everything != (not named):
        raise click.UsageError("Name proposals, or give --all for all that waits.")
    if everything:
        return [each.id for each in await review.waiting()]
    return [(await review.get(each)).id for each in named]


def _written(done: Sequence[Reviewed]) -> Iterator[str]:
    from earwitness.records.prose import counted
    from earwitness_plugins.terminal.people import plain

    for each in done:
        what = counted(len(each.proposal.memories) - len(each.left_out), "memory", "memories")
        yield f"Approved: {each.id}" + (f" ({what} written)" if each.proposal.memories else "")
        yield from (f"  {plain(why)}" for why in each.left_out)


def _told(found: Reviewed) -> Iterator[str]:
    proposal, usage = found.proposal, found.proposal.usage
    yield str(found)
    yield f"by {proposal.by}" + (f", {proposal.version}" if proposal.version else "") + f", {found.time}"
    if usage is not None:
        yield f"model {usage.model}: {usage.tokens_in} + {usage.tokens_out} tokens, cost {usage.cost:g}"
    if found.decided_by:
        yield f"{found.status} by {found.decided_by}"
    yield ""
    yield proposal.text
    for key, each in zip(found.keys, proposal.memories, strict=True):
        yield f"\nwrites for {each.owner or each.container} a {each.type} (key {key}):\n{each.content}"
    if proposal.grounds:
        yield f"\nrests on {', '.join(proposal.grounds)}"
    if proposal.archives:
        yield f"takes out of recall {', '.join(proposal.archives)}"
    yield from (f"note: {each}" for each in proposal.notes)


def _data(found: Reviewed) -> dict[str, object]:
    return {**found.model_dump(mode="json"), "keys": list(found.keys)}


for each in (list_, show, approve, reject):
    command.add_command(each)
