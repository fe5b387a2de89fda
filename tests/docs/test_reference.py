"""What the docs say of the code is true, and nothing public is left out.

Tables between `<!-- fields: module:Record -->` (or `settings`, `errors`, `commands`) and `<!-- end -->` are made from
the code's own docstrings. After changing one, write them anew: `EARWITNESS_WRITE_DOCS=1 pytest tests/docs`.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, distribution
from pathlib import Path
from typing import Any

import click
import pytest

import earwitness
from earwitness import errors, hooks, protocols
from earwitness.events import Event
from earwitness.loading import kinds
from earwitness.loading.settings import Settings
from earwitness.records.base import Record
from earwitness.records.usage import Reply

ROOT = Path(__file__).resolve().parents[2]
ROOMS = [ROOT / "core/earwitness", ROOT / "relationships/earwitness_relationships", ROOT / "plugins/earwitness_plugins"]
SOURCES = [ROOT, *ROOMS]
FACES = ("Earwitness", "Session", "Turn", "Outcome", "Backstage")
# What core and commands use of the faces, and a host does not.
INSIDE = {"in_background", "begin", "engine", "strategies", "resources"}

_TABLE = re.compile(
    r"(?P<open><!-- (?P<kind>\w+)(?:: (?P<thing>[\w.:]+))? -->\n)(?P<body>.*?)(?P<close><!-- end -->)", re.DOTALL
)
_PLACE = re.compile(r"^(?P<file>[\w/]+\.py)(?::(?P<name>[\w.]+))?$")


# ── tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────


COMMON = (Event, Reply)
"""Their fields are in a table of their own, and in no other."""


def fields(cls: type) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and docstring of each field, as they stand in the source."""
    inherited = [base for base in cls.__mro__ if issubclass(base, Record) and (base is cls or base not in COMMON)]
    for each in reversed([base for base in inherited if base is not Record]):
        body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0].body  # type: ignore[attr-defined]
        for field, following in itertools.pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(following, ast.Expr):
                name, said = ast.unparse(field.target), ast.literal_eval(following.value)
                if not name.startswith("_") and not ast.unparse(field.annotation).startswith("ClassVar"):
                    yield name, ast.unparse(field.annotation), _default(field.value), " ".join(said.split())


def _default(value: ast.expr | None) -> str:
    """A default in a few words; one that is a whole record has a table of its own."""
    if value is None or (isinstance(value, ast.Call) and not value.args and not value.keywords):
        return ""
    if isinstance(value, ast.Call):
        given = {each.arg: each.value for each in value.keywords}
        return _default(given.get("name", given.get("default")))
    return ast.unparse(value).replace("'", '"')


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def fields_table(thing: str) -> str:
    rows = ((code(name), code(type_), said) for name, type_, _, said in fields(named(thing)))
    return table(("field", "type", "meaning"), rows)


def settings_table(thing: str) -> str:
    rows = ((code(name), choices(type_, default), said) for name, type_, default, said in fields(named(thing)))
    return table(("setting", "default", "meaning"), rows)


def choices(type_: str, default: str) -> str:
    """The default, and what else is allowed where that is a few words."""
    if not type_.startswith("Literal["):
        return code(default)
    words = [f'"{word}"' for word in ast.literal_eval(type_.removeprefix("Literal"))]
    return ", or ".join([code(default), ", ".join(code(word) for word in words if word != default)])


def errors_table(_: str) -> str:
    tree = inspect.getdoc(errors) or ""
    return f"```text\n{textwrap.dedent(tree.partition('::')[2]).strip()}\n```\n"


def commands_table(_: str) -> str:
    from earwitness_plugins.terminal.group import group

    context = click.Context(group, info_name="earwitness")
    commands = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return table(("command", "what it does"), (_row(name, command) for name, command in commands if command))


def options_tables(_: str) -> str:
    """A section for each command, and for each command within a group, with its options."""
    from earwitness_plugins.terminal.group import group

    return "\n".join(_section(name, command) for name, command in _commands(group, ()))


def _commands(group: click.Group, above: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        if isinstance(command := group.get_command(context, name), click.Group):
            yield from _commands(command, (*above, name))
        elif command:
            yield " ".join((*above, name)), command


def _section(name: str, command: click.Command) -> str:
    usage, _ = _row(name, command)
    text = "\n\n".join(" ".join(each.split()) for each in inspect.cleandoc(command.help or "").split("\n\n"))
    options = [each for each in command.params if isinstance(each, click.Option) and not _is_everywhere(each)]
    rows = (_option_row(each) for each in options)
    return "\n".join(
        [f"### {name}\n", f"{usage}\n", f"{text}\n", *([table(("option", "meaning"), rows)] if options else [])]
    )


def _is_everywhere(option: click.Option) -> bool:
    return option.hidden or option.opts[0] in {"--store", "--settings", "--json", "--help"}


def _option_row(option: click.Option) -> tuple[str, str]:
    context = click.Context(click.Command("earwitness"))
    spelled, said = option.get_help_record(context) or ("", "")
    return code(spelled), " ".join(said.replace("  ", " ").split())


def _row(name: str, command: click.Command) -> tuple[str, str]:
    pieces = [piece for piece in command.collect_usage_pieces(click.Context(command)) if piece != "[OPTIONS]"]
    first = (command.help or "").partition("\n\n")[0]
    return code(" ".join([name, *pieces])), " ".join(first.split())


TABLES: dict[str, Callable[[str], str]] = {
    "fields": fields_table,
    "settings": settings_table,
    "errors": errors_table,
    "commands": commands_table,
    "options": options_tables,
}


def named(thing: str) -> Any:
    module, _, name = thing.partition(":")
    return getattr(import_module(module), name)


def test_tables_say_what_the_code_says(page: Any) -> None:
    def anew(found: re.Match[str]) -> str:
        return f"{found['open']}\n{TABLES[found['kind']](found['thing'] or '')}\n{found['close']}"

    written = _TABLE.sub(anew, page.text)
    if "EARWITNESS_WRITE_DOCS" in os.environ:
        page.path.write_text(written, "utf-8")
        return
    assert page.text == written, "a table is not what the code says: EARWITNESS_WRITE_DOCS=1 pytest tests/docs"


def tabled(pages: dict[str, Any], kind: str) -> set[Any]:
    found = [each for page in pages.values() for each in _TABLE.finditer(page.text)]
    return {named(each["thing"]) for each in found if each["kind"] == kind}


# ── nothing is left out ─────────────────────────────────────────────────────────────────────────────────────────────


def spoken_of(page: Any) -> set[str]:
    """Every name in a page's code, in backticks or in blocks."""
    return {name for text in (*page.code, *(block.text for block in page.blocks)) for name in re.findall(r"\w+", text)}


def records_in(model: type[Record]) -> set[type[Record]]:
    """The model, and every record that is the type of a field in it."""
    inner = {each for field in model.model_fields.values() for each in _records(field.annotation)}
    return {model}.union(*(records_in(each) for each in inner))


def _records(annotation: Any) -> Iterator[type[Record]]:
    if inspect.isclass(annotation) and issubclass(annotation, Record):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _records(part)


def test_every_setting_is_documented(pages: dict[str, Any]) -> None:
    assert records_in(Settings) - tabled(pages, "settings") == set()


def test_every_settings_table_that_packages_declare_is_documented(pages: dict[str, Any]) -> None:
    tables = [point.load() for point in distribution("earwitness").entry_points if point.group == "earwitness.settings"]
    assert tables
    assert set().union(*map(records_in, tables)) - tabled(pages, "settings") == set()


FROM_CORE = {"settings", "resources", "strategies", "path", "embedder", "end", "handed_over"}
"""What core hands to a factory, so that no host writes it."""
DECLARED = {point.name for point in distribution("earwitness").entry_points if point.group == "earwitness.kind"}
SHIPPED = [
    point
    for point in distribution("earwitness").entry_points
    if point.group.removeprefix("earwitness.") in {*(kind.name for kind in kinds.CHOSEN), *DECLARED, "plugins"}
]


@pytest.mark.parametrize("point", SHIPPED, ids=lambda point: f"{point.group}:{point.name}")
def test_every_shipped_strategy_is_listed_with_its_settings(point: EntryPoint, pages: dict[str, Any]) -> None:
    kind = point.group.removeprefix("earwitness.").removesuffix("s") if point.group.endswith("plugins") else point.group
    row = f"| {kind.removeprefix('earwitness.')} | `{point.name}` |"
    said = "".join(line for line in pages["docs/strategies.md"].text.splitlines(True) if line.startswith(row))
    assert said, f"docs/strategies.md has no row that begins with {row}"
    settings = set(inspect.signature(point.load()).parameters) - FROM_CORE
    assert settings - set(re.findall(r"`(\w+)", said)) == set()


def test_every_field_of_every_event_and_answer_is_documented(pages: dict[str, Any]) -> None:
    exchanged = {
        each
        for name in earwitness.__all__
        if inspect.isclass(each := getattr(earwitness, name)) and name.endswith(("Event", "Answer"))
    }
    assert exchanged.union(COMMON) - tabled(pages, "fields") == set()


def test_every_public_name_is_spoken_of(pages: dict[str, Any]) -> None:
    known = set().union(*(spoken_of(page) for page in pages.values()))
    assert set(earwitness.__all__) - known == set()


@pytest.mark.parametrize("face", FACES)
def test_everything_a_host_can_call_or_read_is_on_its_page(face: str, pages: dict[str, Any]) -> None:
    public = {name for name in vars(getattr(earwitness, face)) if not name.startswith("_")}
    assert public - INSIDE - spoken_of(pages["docs/hosts.md"]) == set()


def signature(owner: type, name: str) -> str:
    """`on_message(self, event: MessageEvent) -> …`, as it is written."""
    found = inspect.signature(getattr(owner, name))
    bare = found.replace(
        parameters=[each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    said = [
        str(plain) if each.annotation is inspect.Parameter.empty else _annotated(plain, each.annotation)
        for plain, each in zip(bare.parameters.values(), found.parameters.values(), strict=True)
    ]
    return f"{name}({', '.join(said)}) -> {found.return_annotation}"


def _annotated(plain: inspect.Parameter, annotation: str) -> str:
    name, _, default = str(plain).partition("=")
    return f"{name}: {annotation} = {default}" if default else f"{name}: {annotation}"


@pytest.mark.parametrize("hook", hooks.HOOKS)
def test_every_hook_has_a_heading_with_its_exact_signature(hook: str, pages: dict[str, Any]) -> None:
    assert f"`{signature(hooks.Plugin, hook)}`" in pages["docs/plugins.md"].headings


@pytest.mark.parametrize("kind", [kind.name for kind in kinds.CORE])
def test_every_kind_of_strategy_has_a_section(kind: str, pages: dict[str, Any]) -> None:
    assert kind in {heading.strip("`") for heading in pages["docs/plugins.md"].headings}


STRATEGIES = ("Detector", "WorldAgent", "SharingRule", "Guard", "Embedder", "Importer", "Observer")


@pytest.mark.parametrize("protocol", STRATEGIES)
def test_every_method_of_a_strategy_stands_there_with_its_exact_signature(protocol: str, pages: dict[str, Any]) -> None:
    kind = getattr(protocols, protocol)
    methods = [name for name, each in vars(kind).items() if inspect.isfunction(each) and not name.startswith("_")]
    said = set(pages["docs/plugins.md"].code)
    assert [each for name in methods if (each := signature(kind, name)) not in said] == []


# ── everything leads somewhere ──────────────────────────────────────────────────────────────────────────────────────


def test_links_within_the_project_lead_somewhere(page: Any, pages: dict[str, Any]) -> None:
    lost = []
    for link in page.links:
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.path.parent / path).resolve() if path else page.path
        there = pages.get(str(target.relative_to(ROOT))) if target.is_relative_to(ROOT) else None
        if not target.exists() or (anchor and (there is None or anchor not in there.anchors)):
            lost.append(link)
    assert lost == []


def defined(file: Path) -> set[str]:
    """Names of all functions, methods, classes and constants of a file, methods with their class."""
    tree = ast.parse(file.read_text("utf-8"))
    names: set[str] = set()

    def visit(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(f"{owner}{child.name}")
                visit(child, f"{owner}{child.name}.")
            elif isinstance(child, ast.Assign):
                names.update(f"{owner}{ast.unparse(target)}" for target in child.targets)
            elif isinstance(child, ast.AnnAssign):
                names.add(f"{owner}{ast.unparse(child.target)}")

    visit(tree, "")
    return names


def test_files_and_functions_that_are_named_exist(page: Any) -> None:
    lost = []
    for place in filter(None, map(_PLACE.match, page.code)):
        file = next((each for root in SOURCES if (each := root / place["file"]).is_file()), None)
        if file is None:
            ours = {block.title for block in page.blocks}
            lost += [place[0]] if place["file"] not in ours else []
        elif place["name"] and place["name"] not in defined(file):
            lost.append(place[0])
    assert lost == []


@pytest.mark.parametrize("root", ROOMS, ids=lambda root: root.name)
def test_the_architecture_names_every_room_of_the_house(root: Path, pages: dict[str, Any]) -> None:
    files = {each.name for each in root.glob("*.py") if not each.name.startswith("__")}
    folders = {f"{each.name}/" for each in root.iterdir() if (each / "__init__.py").is_file()}
    named = {part.strip("`") for part in re.findall(r"`[\w/.]+`", pages["docs/architecture.md"].text)}
    known = {part.rpartition("/")[2] if part.endswith(".py") else part for part in named}
    assert (files | folders) - known - {"console.py"} == set()
