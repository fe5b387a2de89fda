"""Pictures of rules and of what they do: SVG, PNG and PDF, and Mermaid text for docs."""

from .canvas import save_picture
from .knowledge import knowledge_picture
from .mermaid import mermaid
from .records import Diagram, DiagramArrow, DiagramNode
from .rules import rules_picture
from .spread import spread_picture

__all__ = [
    "Diagram",
    "DiagramArrow",
    "DiagramNode",
    "knowledge_picture",
    "mermaid",
    "rules_picture",
    "save_picture",
    "spread_picture",
]
