"""No import circle in core, also none that only type checkers see: whoever reads a file has read what it rests on."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path


def imported(file: Path, root: Path) -> Iterator[str]:
    """Modules of core that a module imports anywhere, as dotted names below `root`."""
    package = file.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
        base = tuple(part for part in base if part)
        for alias in node.names:
            names = [".".join((*base, alias.name)), ".".join(base)]
            yield from (name for name in names[:1] if is_module(root, name))
            yield from (name for name in names[1:] if is_module(root, name) and not is_module(root, names[0]))


def is_module(root: Path, name: str) -> bool:
    return bool(name) and (root / Path(*name.split("."))).with_suffix(".py").is_file()


def test_core_has_no_import_circle(checkout: Path) -> None:
    root = checkout / "core" / "earwitness"
    files = [file for file in root.rglob("*.py") if file.name != "__init__.py"]
    graph = {".".join(file.relative_to(root).with_suffix("").parts): set(imported(file, root)) for file in files}
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("records.journal") < order.index("end.decider") < order.index("session")
