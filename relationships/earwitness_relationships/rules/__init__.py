"""Rule files: pantheons, their members and relationships, and who tells what to whom."""

from .records import Member, Pantheon, RelationshipRule, RuleBook, Rules

__all__ = ["Member", "Pantheon", "RelationshipRule", "RuleBook", "Rules"]
