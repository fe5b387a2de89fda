"""`earwitness rules new|check|show|schema|diff`: files that say who tells what to whom."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, story_command
from earwitness_plugins.terminal.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SETTINGS = """\
path = "{store}"

[relationships]
rules = {rules}
"""


@click.group("rules", cls=GuessingGroup)
def command() -> None:
    """Write, check and show rule files: who tells what to whom."""


@story_command("new")
@click.argument("file", default="rules.yaml")
@click.option("--force", is_flag=True, help="Write over a rule file that exists.")
async def new(cli: CliContext, file: str, force: bool) -> None:
    """Write a commented rule file that plays with the demo story, and settings that name it.

    Settings that are there already are left as they are.
    """
    from earwitness.loading.settings import FILE_NAME
    from earwitness_plugins.terminal.context import program
    from earwitness_plugins.terminal.output import refuse_existing

    refuse_existing([file], force=force)
    _write_example(file)
    settings = cli.settings_file or FILE_NAME
    is_new = _write_settings(settings, file, cli.store)
    told = (
        f"Wrote {settings}, which names it." if is_new else f'Name it in {settings}: [relationships] rules = "{file}"'
    )
    check = shlex.join([program(), "rules", "check", file])
    answer = {"rules": file, "settings": settings, "settings_written": is_new}
    cli.answer(answer, f"Wrote {file}. {told}\nCheck it:  {check}\nPlay with it:  {program()} play STORY")


def _write_example(file: str) -> None:
    from earwitness.errors import InputError
    from earwitness_relationships.rules.example import example

    if Path(file).suffix.lower() not in {".yaml", ".yml"}:
        raise InputError(f"{file!r}: the example has comments, so it must be YAML. Choose a name that ends in .yaml.")
    Path(file).write_text(example(shlex.quote(file)), "utf-8")


def _write_settings(settings: str, rules: str, store: str | None) -> bool:
    """Write settings that name the rule file, unless there are some. Returns whether they were written."""
    from earwitness_plugins.terminal.context import DEFAULT_STORE

    path, file = Path(settings), Path(rules).resolve()
    if path.exists():
        return False
    named = file.name if file.parent == path.resolve().parent else str(file)
    path.write_text(SETTINGS.format(store=store or DEFAULT_STORE, rules=json.dumps(named)), "utf-8")
    return True


@story_command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--story", metavar="STORY", help="A story file, whose cast the files should know.")
@click.option("--session", metavar="ID", help="A story in the store, whose cast the files should know.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there are warnings.")
async def check(cli: CliContext, files: tuple[str, ...], story: str | None, session: str | None, strict: bool) -> None:
    """Check rule files: mistakes, with line and column, and warnings about what is probably not meant.

    Exits with 2 if one of them cannot be used; the others are checked all the same.
    """
    told = await _ruled_story(cli, story, session)
    strategies = _strategies(cli)
    checked = [_checked(file, told, strategies) for file in files]
    broken = [shown for answer, shown in checked if "error" in answer]
    fine = [shown for answer, shown in checked if "error" not in answer]
    answers = [answer for answer, _ in checked]
    if fine or (cli.json and len(files) > 1):
        cli.answer(answers[0] if len(files) == 1 else {"files": answers}, "\n".join(fine))
    if broken:
        raise BadInput("\n".join(broken))
    cli.finish(ok=not (strict and any(answer["warnings"] for answer in answers)))


def _strategies(cli: CliContext) -> Mapping[str, Collection[str]]:
    """Option → the names of strategies that it may give: those of the settings, and those that are installed."""
    from earwitness.loading.strategies import Strategies
    from earwitness_relationships.rules.strategy_names import names_by_option
    from earwitness_relationships.settings import RelationshipsSettings

    return names_by_option(Strategies(), cli.settings().table(RelationshipsSettings))


def _checked(file: str, told: _RuledStory, strategies: Mapping[str, Collection[str]]) -> tuple[dict[str, Any], str]:
    """What is found in one file: as data, and as text."""
    from earwitness_plugins.terminal.rule_tables import counts, warning_lines
    from earwitness_relationships.errors import RulesError
    from earwitness_relationships.rules.check import warnings
    from earwitness_relationships.rules.file import rule_file

    try:
        read = rule_file(file)
    except RulesError as error:
        return {"file": file, "error": str(error)}, str(error)
    found = warnings(read, told.cast, has_direct_messages=told.has_direct_messages, strategies=strategies)
    fine = f"{file}: {counts(read.book)}; {len(found) or 'no'} {'warning' if len(found) == 1 else 'warnings'}."
    answer = {"file": file, "version": read.book.version, "warnings": [each.model_dump() for each in found]}
    return answer, "\n".join(filter(None, [warning_lines(file, found), fine]))


@story_command("show")
@click.argument("file")
@click.option(
    "--output", metavar="PICTURE", help="A picture of the graph with its rules: .svg, .png, or .mmd for Mermaid."
)
@click.option("--force", is_flag=True, help="Write over a picture that exists.")
async def show(cli: CliContext, file: str, output: str | None, force: bool) -> None:
    """Show a rule file as a table: who tells whom what, and within which limits; and as a picture."""
    from earwitness_plugins.terminal.output import refuse_existing
    from earwitness_plugins.terminal.rule_tables import rule_tables
    from earwitness_relationships.pictures import rules_picture, save_picture
    from earwitness_relationships.rules import read_rules

    book = read_rules(file)
    if output:
        refuse_existing([output], force=force)
        save_picture(rules_picture(book, title=Path(file).name), output)
    cli.answer(book.model_dump(mode="json", exclude_none=True), rule_tables(book))
    if output and not cli.json:
        click.echo(f"Wrote {output}.")


@story_command("schema")
async def schema(cli: CliContext) -> None:
    """Print the JSON Schema of rule files, with which editors complete and check them."""
    from earwitness_relationships.rules.schema import schema as built

    cli.answer(built(), json.dumps(built(), indent=2, ensure_ascii=False))


@story_command("diff")
@click.argument("old")
@click.argument("new")
@click.argument("story", metavar="SESSION")
async def diff(cli: CliContext, old: str, new: str, story: str) -> None:
    """Show who would have learned what else in a story, under the rules of NEW instead of those of OLD.

    SESSION is the id of a story in the store. Who perceived its messages stays as it is, and so does which
    conversations were closed. Nothing is written. Triages are asked again.
    """
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.rule_changes import rule_changes
    from earwitness_relationships.rules import read_rules
    from earwitness_relationships.what_if import rules_difference

    books = read_rules(old), read_rules(new)
    async with cli.open() as ew:
        session = await ew.open_session(story)
        found = await rules_difference(ew, session, *books)
        cli.answer(found.model_dump(mode="json"), rule_changes(found, People(session.cast, ew.settings.calendar)))


class _RuledStory(NamedTuple):
    """What a story says that rules are checked against."""

    cast: Collection[str] | None = None
    """Its personality ids; `None` = no story was named."""
    has_direct_messages: bool = False
    """Whether anything in it is a direct message."""


async def _ruled_story(cli: CliContext, story: str | None, session: str | None) -> _RuledStory:
    """The story that was named, if any."""
    from earwitness_plugins.applications.stories.reader import read_story

    if story is not None:
        read = read_story(story)
        contexts = {getattr(each, "context", None) for each in read.steps}
        return _RuledStory([each.personality_id for each in read.everybody()], "dm" in contexts)
    if session is None:
        return _RuledStory()
    async with cli.open() as ew:
        opened = await ew.open_session(session)
        contexts = {each.message.context for each in await opened.messages()}
        return _RuledStory([each.personality_id for each in opened.cast], "dm" in contexts)


for each in (new, check, show, schema, diff):
    command.add_command(each)
