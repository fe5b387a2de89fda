"""No import circle, also none within functions or for type checkers only: a file is read after what it rests on."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

ROOTS = ("core", "relationships", "plugins")


def modules(checkout: Path) -> dict[str, Path]:
    """Every module of the three roots by its full name. Packages only name what is in them, and are left out."""
    files = [(file, checkout / root) for root in ROOTS for file in (checkout / root).rglob("*.py")]
    return {
        ".".join(file.relative_to(root).with_suffix("").parts): file
        for file, root in files
        if file.name != "__init__.py"
    }


def imported(name: str, file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules that a module imports anywhere."""
    package = name.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield from [each for each in (f"{base}.{alias.name}", base) if each in known][:1]


def test_there_is_no_import_circle(checkout: Path) -> None:
    known = modules(checkout)
    graph = {name: set(imported(name, file, known)) for name, file in known.items()}
    order = list(TopologicalSorter(graph).static_order())
    way = ["records.journal", "end.decider", "session"]
    assert sorted(way, key=lambda name: order.index(f"earwitness.{name}")) == way
    assert order.index("earwitness.session") < order.index("earwitness_plugins.console")
