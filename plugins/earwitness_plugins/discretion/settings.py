"""The settings table `[discretion]`."""

from __future__ import annotations

from typing import ClassVar, Literal

from earwitness import Record
from earwitness.loading.quantities import Count, Positive


class DiscretionSettings(Record):
    """Who judges what a character had better not say where she is about to speak."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"guards": ("discretion",)}
    """Strategies that are used wherever the settings contain the table."""

    by: Literal["note", "model"] = "note"
    """`note`: the marks and the note of the guards alone, as of `[relationships.privacy]`. `model`: the model of
    `[model]` is also asked, once a recall, of each memory: say it, use it silently, or keep it out of the prompt."""
    most: Count = 24
    """The number of memories that it is asked about, the best first. The others stay as the guards have left them."""
    model: str | None = None
    """Another model than that of `[model]`."""
    timeout: Positive | None = None
    """Seconds for all calls of a recall together; `None` = `recall.timeout`. Never more than four fifths of
    `end.plugin_timeout`."""
