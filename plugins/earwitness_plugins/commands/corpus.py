"""`earwitness corpus check NAME`: is a corpus what its card says?"""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, options, story_command


@click.group("corpus", cls=GuessingGroup)
def command() -> None:
    """Check labelled corpora, such as overheard."""


@story_command("check", store=options.NO_STORE)
@click.argument("corpus", default="overheard", metavar="CORPUS")
@click.option(
    "--against",
    multiple=True,
    metavar="PATH",
    help="Labelled data that the corpus must share no lines with: a file, or a folder of them. Repeatable.",
)
async def check(cli: CliContext, corpus: str, against: tuple[str, ...]) -> None:
    """Check format, counts, parts and labels of a CORPUS, lines that occur twice, and how far its annotators agree.

    CORPUS is a folder with a corpus.toml, or the name of one in corpora/. The exit code is 1 if anything is wrong.
    """
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.corpora.check import check as checked
    from earwitness_plugins.applications.corpora.places import corpus_folder
    from earwitness_plugins.terminal.corpora import shown

    found = checked(corpus_folder(corpus), Strategies(), against)
    cli.answer(found.model_dump(mode="json"), shown(found))
    cli.finish(ok=not found.problems)


command.add_command(check)
