"""What the tests of containers share."""

from collections.abc import Awaitable, Callable

from earwitness import Container, Earwitness
from earwitness.containers import (
    pantheon_container,
)

Open = Callable[..., Awaitable[Earwitness]]
OLYMPUS = pantheon_container("olympus")
BOARD = Container(name="s1-board", kind="notice_board", owner="tavern", session="s1")
