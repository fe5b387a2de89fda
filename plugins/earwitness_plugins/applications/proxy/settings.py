"""The settings table `[proxy]`. The model behind the proxy is that of the table `[model]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from earwitness import Record
from earwitness.loading.quantities import Positive


class ProxySettings(Record):
    """How `earwitness serve --proxy` serves."""

    token: SecretStr | None = Field(default=None, min_length=16)
    """What front ends send as their API key, at least 16 characters, best as `{ env = "NAME" }`; `None` = a new one at
    each start, which is shown."""
    mark: SecretStr | None = Field(default=None, min_length=8)
    """A word of at least 8 characters that only the front end's own prompt knows. With it, the first lines of a prompt
    may say who speaks."""
    history: Literal["perceived", "as_sent"] = "perceived"
    """What the model sees of the chat that the front end sends: what the character perceived, as perceived, or all."""
    missing: Literal["kept", "retracted"] = "kept"
    """What becomes of messages that the chat lacks between two others: `kept`, since front ends hide some, or
    `retracted`, for one that sends all it shows."""
    retract_at_most: int = Field(default=8, strict=True, ge=0)
    """So many messages are taken back by one request; where the chat lacks more, all are kept, and the log says so."""
    edit_at_most: int = Field(default=8, strict=True, ge=0)
    """So many messages get quite other words by one request; where it has other words for more, all keep theirs, and
    the log says so. Corrections, which leave most of a text as it is, are not counted."""
    timeout: Positive = 600.0
    """Seconds that the model may be silent."""
