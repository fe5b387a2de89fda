"""Pictures as Mermaid text, which docs, issues and chats show as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from .records import Diagram, DiagramArrow, DiagramNode

ARROWS = {"told": "-->", "related": "---", "stopped": "-.->"}


def mermaid(picture: Diagram) -> str:
    """The picture as a flowchart. Any text in it is shown as it is, and obeyed nowhere."""
    ids = {node.id: f"n{number}" for number, node in enumerate(picture.nodes)}
    head = [f"---\ntitle: {_quoted(picture.title)}\n---"] if picture.title else []
    lines = [*head, "flowchart LR", *_frames(picture, ids), *(_arrow(each, ids) for each in picture.arrows)]
    strong = [ids[node.id] for node in picture.nodes if node.is_strong]
    lines += [f"  class {','.join(strong)} strong", "  classDef strong stroke-width:3px"] if strong else []
    return "\n".join(lines) + "\n"


def _frames(picture: Diagram, ids: dict[str, str]) -> Iterator[str]:
    groups = dict.fromkeys(node.group for node in picture.nodes)
    for number, group in enumerate(groups):
        nodes = [_box(node, ids) for node in picture.nodes if node.group == group]
        if not group:
            yield from (f"  {node}" for node in nodes)
            continue
        yield f"  subgraph g{number}[{_quoted(group)}]"
        yield from (f"    {node}" for node in nodes)
        yield "  end"


def _box(node: DiagramNode, ids: dict[str, str]) -> str:
    return f"{ids[node.id]}[{_quoted(node.label)}]"


def _arrow(arrow: DiagramArrow, ids: dict[str, str]) -> str:
    said = f"|{_quoted(arrow.label)}|" if arrow.label else ""
    return f"  {ids[arrow.source]} {ARROWS[arrow.style]}{said} {ids[arrow.target]}"


def _quoted(text: str) -> str:
    """Text in quotes. What Mermaid or HTML would read becomes an entity."""
    safe = "".join(each if each.isalnum() or each in " .,:;!?'()+-_/→" else f"#{ord(each)};" for each in text)
    return '"' + safe.replace("#10;", "<br>") + '"'
