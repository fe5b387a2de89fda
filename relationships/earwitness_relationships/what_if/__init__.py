"""What if: who would learn something, as a table and a picture, and what other rules would change."""

from .difference import LearningChange, LeftOut, RulesDifference, rules_difference
from .preview import preview_picture, spread_of

__all__ = ["LearningChange", "LeftOut", "RulesDifference", "preview_picture", "rules_difference", "spread_of"]
