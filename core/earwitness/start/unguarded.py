"""Direct messages that nothing withholds: the host is told once a story, when one is first recalled elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from ..engine import Engine
from ..live import Live
from ..records.channel import Channel, confined_to, context_of
from .recalled import Recalled

UNGUARDED = (
    "story %r: in a %s, somebody recalls what was said in a direct message elsewhere, and no guard withholds it. "
    "A table [relationships] in the settings, or Earwitness.open(relationships={}), keeps direct messages and private "
    "channels where their listeners are: see docs/canon.md. This is said once."
)
_log = logging.getLogger("earwitness")


def tell_host(engine: Engine, live: Live, channel: Channel, recalled: Iterable[Recalled]) -> None:
    """Log a warning if one of these memories is from another direct message, and there is no guard."""
    if engine.guards or live.warned_unguarded:
        return
    here = confined_to(channel.metadata)
    found = (each.memory.metadata for each in recalled)
    if any(context_of(each) == "dm" and confined_to(each) != here for each in found):
        live.warned_unguarded = True
        _log.warning(UNGUARDED, live.snapshot.id, channel.context.replace("_", " "))
