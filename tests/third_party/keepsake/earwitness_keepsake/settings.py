"""A settings table of its own: `[keepsake]`."""

from earwitness import Record


class KeepsakeSettings(Record):
    """What all strategies and plugins of this package share."""

    thing: str = "locket"
    """What glows when it is spoken of."""
