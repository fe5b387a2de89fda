"""Write `earwitness.sync` from the asynchronous classes: same names, parameters, types and docstrings, no `async`.

    python scripts/generate_sync.py            # writes core/earwitness/sync/*.py
    python scripts/generate_sync.py --check    # writes nothing; ends with 1 when something would change

The source is parsed, not imported. Of each class in `FACES` the public methods, properties and attributes are taken.
A public attribute needs a type: annotate it where `__init__` sets it, unless it is a parameter.
"""

from __future__ import annotations

import argparse
import ast
import copy
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

CORE = Path(__file__).parents[1] / "core/earwitness"
TARGET = CORE / "sync"

# Each class may return those before it.
FACES = ("Outcome", "Turn", "Backstage", "Session", "Earwitness")
# The one with `open`, `start` and `close`; the base of its mirror is written by hand.
OPENED = "Earwitness"
# Methods of a long class that get a module and a base class of their own, so that every module has its length.
CHANGES = frozenset({"change", "update", "unmask", "enter", "leave", "move", "channel", "join", "prepare"})

HEADER = "Written by scripts/generate_sync.py from the asynchronous `{}`. To change it, change that: `make sync`."
RENAMED = {"AsyncIterator": "Iterator", "AsyncIterable": "Iterable", "AsyncGenerator": "Iterator"}
SPOKEN = ((r"\bawait ", ""), (r"\basync (with|for)\b", r"\1"), (r"\bmany tasks\b", "many threads"))


class CannotMirror(Exception):
    """The asynchronous class has something that no rule here covers."""


class Source(NamedTuple):
    """A class of the asynchronous face, where it was found."""

    name: str
    module: str
    """Dotted, below `earwitness`."""
    tree: ast.Module
    node: ast.ClassDef


class Part(NamedTuple):
    """A base class that holds some methods of a mirror."""

    name: str
    module: str
    """Below `earwitness.sync`."""
    doc: str
    methods: frozenset[str]


PARTS = {"Session": Part("SessionChanges", "session_changes", "What changes a story besides its messages.", CHANGES)}


class Origin(NamedTuple):
    """Where a name comes from, as an import in a module of `earwitness.sync` spells it."""

    module: str
    name: str
    typing_only: bool = False


Function = ast.FunctionDef | ast.AsyncFunctionDef
Parameters = dict[str, ast.expr | None]


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def found(name: str, core: Path = CORE) -> Source:
    """The class of this name. Raises `CannotMirror` unless exactly one module below `core` defines it."""
    sources = [
        Source(name, _module(file.relative_to(core)), tree, node)
        for file in sorted(core.rglob("*.py"))
        if not file.is_relative_to(core / "sync") and f"class {name}" in (text := file.read_text("utf-8"))
        for tree in [ast.parse(text)]
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    if len(sources) != 1:
        raise CannotMirror(f"class {name} is defined in {len(sources)} modules of core/earwitness, not in one.")
    return sources[0]


def _module(file: Path) -> str:
    return ".".join(part for part in file.with_suffix("").parts if part != "__init__")


def origins(source: Source) -> dict[str, Origin]:
    """Every name at the top of the module, imported or defined there."""
    here = Origin(f"..{source.module}", "")
    known = {name: here._replace(name=name) for node in source.tree.body for name in _defined(node)}
    for node in source.tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            known |= _imported(node.body, source.module, typing_only=True)
    return known | _imported(source.tree.body, source.module, typing_only=False)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _imported(body: Iterable[ast.stmt], module: str, *, typing_only: bool) -> dict[str, Origin]:
    return {
        alias.asname or alias.name: Origin(_seen_from_sync(node, module), alias.name, typing_only)
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _seen_from_sync(node: ast.ImportFrom, module: str) -> str:
    if not node.level:
        return node.module or ""
    above = module.split(".")[: -node.level]
    return ".." + ".".join([*above, *([node.module] if node.module else [])])


# ── members ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def members(source: Source, by_hand: frozenset[str]) -> Iterator[ast.FunctionDef]:
    """The methods of the mirror, in the order of the original."""
    for node in source.node.body:
        if isinstance(node, Function) and node.name == "__init__":
            yield from (_property(*each) for each in _attributes(node) if each[0] not in by_hand)
        elif isinstance(node, Function) and _mirrored(node) and node.name not in by_hand:
            yield _method(source.name, node)


def _mirrored(node: Function) -> bool:
    """Public; but for class methods that await: with these core makes an object."""
    maker = isinstance(node, ast.AsyncFunctionDef) and "classmethod" in _decorators(node)
    return not node.name.startswith("_") and not maker


def _decorators(node: Function) -> list[str]:
    return [ast.unparse(each) for each in node.decorator_list]


def _attributes(init: Function) -> Iterator[tuple[str, ast.expr, str]]:
    """Name, type and docstring of each public attribute that `__init__` sets."""
    given = _parameters(init.args)
    for node, below in zip(init.body, [*init.body[1:], None], strict=True):
        name, kind = _attribute(node, given)
        if name and not name.startswith("_"):
            doc = _text(below)
            if kind is None or doc is None:
                raise CannotMirror(f"self.{name} needs a type and a docstring below it, where __init__ sets it.")
            yield name, kind, doc


def _attribute(node: ast.stmt, given: Parameters) -> tuple[str, ast.expr | None]:
    """Name and type of the attribute that is set here; the name is empty when none is."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
        return node.target.attr, node.annotation
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return node.targets[0].attr, given.get(node.value.id) if isinstance(node.value, ast.Name) else None
    return "", None


def _text(node: ast.stmt | None) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None


def _parameters(args: ast.arguments) -> Parameters:
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return {each.arg: each.annotation for each in named}


def _property(name: str, kind: ast.expr, doc: str) -> ast.FunctionDef:
    made = _function(f"@property\ndef {name}(self): ...", f"return self._behind.{name}", doc)
    made.returns = kind
    return made


def _function(head: str, body: str, doc: str) -> ast.FunctionDef:
    (made,) = (each for each in ast.parse(head).body if isinstance(each, ast.FunctionDef))
    made.body = [_documentation(doc), *ast.parse(body).body]
    return made


def _method(owner: str, node: Function) -> ast.FunctionDef:
    """The same method without `async`, its body one call of the original."""
    doc = ast.get_docstring(node, clean=False)
    if doc is None or node.returns is None:
        raise CannotMirror(f"{owner}.{node.name} needs a docstring and a type of its answer.")
    for parameter, annotation in _parameters(node.args).items():
        if annotation and _names(annotation) & set(FACES):
            raise CannotMirror(f"{owner}.{node.name} takes a mirrored object as {parameter!r}: no rule unwraps it.")
    made = _function(f"def {node.name}(): ...", _body(node, node.returns), doc)
    made.args, made.decorator_list = node.args, node.decorator_list
    made.returns = _Synchronous().visit(copy.deepcopy(node.returns))
    return made


def _documentation(doc: str) -> ast.Expr:
    for spoken, plain in SPOKEN:
        doc = re.sub(spoken, plain, doc)
    return ast.Expr(ast.Constant(doc))


class _Synchronous(ast.NodeTransformer):
    """Types of answers without what is asynchronous in them."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(RENAMED.get(node.id, node.id))


# ── bodies ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _body(node: Function, returns: ast.expr) -> str:
    answer = _answer(node)
    if isinstance(returns, ast.Constant) and returns.value is None:
        return answer
    return f"return {_wrapped(returns, answer, node.name)}"


def _answer(node: Function) -> str:
    """What the original answers, waited for."""
    decorators = _decorators(node)
    if "classmethod" in decorators:
        return f"Async{OPENED}.{node.name}({_arguments(node.args)})"
    if "property" in decorators:
        return f"self._behind.{node.name}"
    if _streams(node):
        return f"self._call.each(self._behind.{node.name}({_arguments(node.args)}))"
    if isinstance(node, ast.AsyncFunctionDef):
        return f"self._call({', '.join([f'self._behind.{node.name}', *_passed(node.args)])})"
    return f"self._behind.{node.name}({_arguments(node.args)})"


def _streams(node: Function) -> bool:
    return isinstance(node.returns, ast.Subscript) and ast.unparse(node.returns.value) in RENAMED


def _arguments(args: ast.arguments) -> str:
    return ", ".join(_passed(args))


def _passed(args: ast.arguments) -> list[str]:
    positional = [each.arg for each in [*args.posonlyargs, *args.args]][1:]
    return [
        *positional,
        *([f"*{args.vararg.arg}"] if args.vararg else []),
        *(f"{each.arg}={each.arg}" for each in args.kwonlyargs),
        *([f"**{args.kwarg.arg}"] if args.kwarg else []),
    ]


def _wrapped(kind: ast.expr, answer: str, method: str) -> str:
    """The answer with every asynchronous object in it replaced by its mirror. Raises `CannotMirror`."""
    if isinstance(kind, ast.Name) and kind.id == "Self":
        return f"cls({answer})"
    if isinstance(kind, ast.Name) and kind.id in FACES:
        return f"{kind.id}(self._call, {answer})"
    if not _names(kind) & set(FACES):
        return answer
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) in {"list", "tuple"}:
        each = kind.slice.elts[0] if isinstance(kind.slice, ast.Tuple) else kind.slice
        listed = f"[{_wrapped(each, 'each', method)} for each in {answer}]"
        return listed if ast.unparse(kind.value) == "list" else f"tuple({listed})"
    raise CannotMirror(f"{method} answers {ast.unparse(kind)}: no rule makes mirrors of that.")


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


# ── modules ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def written(source: Source, by_hand: frozenset[str] = frozenset()) -> str:
    """The module of the mirror, not formatted yet."""
    part = PARTS.get(source.name)
    methods = [each for each in members(source, by_hand) if not (part and each.name in part.methods)]
    base = "OpenedMirror" if source.name == OPENED else part.name if part else f"Mirror[Async{source.name}]"
    head, doc = f"class {source.name}({base})", ast.get_docstring(source.node, clean=False) or ""
    return _module_text(source, head, doc, methods, part)


def written_part(source: Source, part: Part) -> str:
    """The module of a mirror's base class, not formatted yet. Raises `CannotMirror` for a method that is not there."""
    methods = [each for each in members(source, frozenset()) if each.name in part.methods]
    if missing := part.methods - {each.name for each in methods}:
        raise CannotMirror(f"{source.name} has no method {', '.join(sorted(missing))}: mend PARTS.")
    return _module_text(source, f"class {part.name}(Mirror[Async{source.name}])", part.doc, methods, None)


def _module_text(source: Source, head: str, doc: str, methods: list[ast.FunctionDef], base: Part | None) -> str:
    used = set[str]().union(*(_names_of(each) for each in methods))
    (made,) = (each for each in ast.parse(f"{head}: ...").body if isinstance(each, ast.ClassDef))
    made.body = [_documentation(doc), *methods]
    imports = "\n".join(_imports(source, used, base))
    return f'"""{HEADER.format(source.name)}"""\n{imports}\n{ast.unparse(ast.fix_missing_locations(made))}\n'


def _names_of(method: ast.FunctionDef) -> set[str]:
    signature = [method.args, *([method.returns] if method.returns else [])]
    return set[str]().union(*map(_names, signature)) | (_names(method.body[1]) & set(FACES))


def _imports(source: Source, used: set[str], base: Part | None) -> Iterator[str]:
    known, mirrors = origins(source), used & set(FACES) - {source.name}
    renamed = {plain: Origin("collections.abc", plain) for plain in RENAMED.values()}
    needed = {name: found for name in sorted(used - set(FACES)) if (found := (renamed | known).get(name))}
    yield "from __future__ import annotations"
    yield from (_import(name, origin) for name, origin in needed.items() if not origin.typing_only)
    yield f"from ..{source.module} import {source.name} as Async{source.name}"
    yield from (f"from .{name.lower()} import {name}" for name in FACES if name in mirrors)
    yield f"from .loop import {'OpenedMirror' if source.name == OPENED else 'Mirror'}"
    if base:
        yield f"from .{base.module} import {base.name}"
    if typing_only := [_import(name, origin) for name, origin in needed.items() if origin.typing_only]:
        yield "from typing import TYPE_CHECKING"
        yield "if TYPE_CHECKING:"
        yield from (f"    {each}" for each in typing_only)


def _import(name: str, origin: Origin) -> str:
    return f"from {origin.module} import {origin.name}" + ("" if name == origin.name else f" as {name}")


def formatted(text: str, path: Path) -> str:
    """As ruff formats it, with imports in order."""
    for command in (["check", "--fix", "--quiet", "--select=I,F401"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, f"--stdin-filename={path}", "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout  # noqa: S603 - ours
    return text


def generated() -> dict[Path, str]:
    """Every module that is written here, by its path."""
    by_hand = _by_hand(ast.parse((TARGET / "loop.py").read_text("utf-8")))
    modules = {TARGET / f"{name.lower()}.py": written(found(name), by_hand[name]) for name in FACES}
    modules |= {TARGET / f"{part.module}.py": written_part(found(name), part) for name, part in PARTS.items()}
    return {path: formatted(text, path) for path, text in modules.items()}


def _by_hand(loop: ast.Module) -> dict[str, frozenset[str]]:
    (opened,) = [each for each in loop.body if isinstance(each, ast.ClassDef) and each.name == "OpenedMirror"]
    methods = frozenset(each.name for each in opened.body if isinstance(each, Function))
    return {name: methods if name == OPENED else frozenset() for name in FACES}


def _same(path: Path, text: str) -> bool:
    """The same code; another version of ruff may format it otherwise."""
    return path.is_file() and ast.dump(ast.parse(path.read_text("utf-8"))) == ast.dump(ast.parse(text))


def main() -> int:
    """Write or compare. The exit code is 1 when a comparison finds a difference."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    arguments.add_argument("--check", action="store_true", help="write nothing, and say what would change")
    check = arguments.parse_args().check
    stale = {path: text for path, text in generated().items() if not _same(path, text)}
    for path, text in stale.items():
        if not check:
            path.write_text(text, "utf-8")
        print(f"{path.relative_to(CORE.parents[1])}: {'out of date, run `make sync`' if check else 'written'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
