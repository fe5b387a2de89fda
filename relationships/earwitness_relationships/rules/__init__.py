"""Rule files: pantheons, their members and relationships, and who tells what to whom."""

from .file import read_rules, rules_text
from .records import Feed, Member, Pantheon, RelationshipRule, RuleBook, Rules

__all__ = [
    "Feed",
    "Member",
    "Pantheon",
    "RelationshipRule",
    "RuleBook",
    "Rules",
    "read_rules",
    "rules_text",
]
