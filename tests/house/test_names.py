"""One word for one thing: no two types of one name, modules named by nouns, small files, no formatting switched off."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("core", "relationships", "plugins")
LONGEST = 400
NOUNS = {"encoding", "ranking", "reading", "wiring"}
"""Words that end in -ing and are nouns of the field."""


def sources(checkout: Path) -> Iterator[Path]:
    """Every source file, the generated synchronous mirror aside."""
    for root in ROOTS:
        yield from (file for file in (checkout / root).rglob("*.py") if "sync" not in file.parts)


def test_no_two_types_have_the_same_name(checkout: Path) -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for file in sources(checkout):
        for name in types_of(ast.parse(file.read_text("utf-8"))):
            homes[name.lstrip("_")].append(str(file.relative_to(checkout)))
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert twice == {}


def types_of(module: ast.Module) -> Iterator[str]:
    """Names of classes, and of aliases that are written like classes; a type variable is nobody's name."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for each in targets if isinstance(each, ast.Name)]
            yield from (name for name in names if len(name) > 1 and name[0].isupper() and not name.isupper())


def test_modules_are_named_by_nouns(checkout: Path) -> None:
    last_words = ((file, file.stem.split("_")[-1]) for file in sources(checkout))
    gerunds = [str(file) for file, word in last_words if word.endswith("ing") and word not in NOUNS]
    assert gerunds == []


def every_file(checkout: Path) -> Iterator[Path]:
    """Every Python file of ours; the fixtures hold what earlier versions were."""
    for folder in (*ROOTS, "tests", "benchmarks", "scripts", "examples"):
        yield from (file for file in (checkout / folder).rglob("*.py") if "fixtures" not in file.parts)


def test_no_file_is_longer_than_400_lines(checkout: Path) -> None:
    lengths = {str(file): len(file.read_text("utf-8").splitlines()) for file in every_file(checkout)}
    assert {file: length for file, length in lengths.items() if length > LONGEST} == {}


def test_formatting_is_switched_off_nowhere(checkout: Path) -> None:
    switched = "# fmt: " + "skip"
    assert [str(file) for file in every_file(checkout) if switched in file.read_text("utf-8")] == []
