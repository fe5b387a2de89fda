"""Where an instance was opened: its process and its event loop. Anywhere else its calls would wait for ever."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from .errors import NotOpen


@dataclass(frozen=True, slots=True)
class Home:
    """One process, and one event loop in it."""

    process: int
    """The process id."""
    loop: asyncio.AbstractEventLoop
    """The event loop."""

    @classmethod
    def here(cls) -> Home:
        """The running process and its running event loop."""
        return cls(os.getpid(), asyncio.get_running_loop())

    @property
    def is_parents(self) -> bool:
        """Whether this is a child that inherited the instance by a fork."""
        return self.process != os.getpid()

    def check_process(self) -> None:
        """Raises `NotOpen` in a child."""
        if self.process != os.getpid():
            raise NotOpen(
                f"this Earwitness was opened in process {self.process} and cannot be used in process {os.getpid()}, "
                "which was forked from it. Open another one here, after the fork: Earwitness.open(…). In the parent, "
                "open after forking too, or start workers with 'spawn'."
            )

    def check(self) -> None:
        """Raises `NotOpen` in a child, and on another event loop."""
        self.check_process()
        if self.loop is not asyncio.get_running_loop():
            raise NotOpen(
                "this Earwitness was opened on another event loop, and a call from this one would never return. Open "
                "one on this loop, or make all calls on the loop of `open`: a single asyncio.run(…) for the whole "
                "program. From several threads, use earwitness.sync."
            )
