"""What if: who would learn something, as a table and a picture, and what other rules would change."""

from .preview import preview_picture, spread_of

__all__ = ["preview_picture", "spread_of"]
