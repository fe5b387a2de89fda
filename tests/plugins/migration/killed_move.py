"""The program that test_migrate kills: it moves everything, and kills itself with the n-th write to the target.

python killed_move.py FROM TO N

With 0, it says when it begins, and others kill it.
"""

import asyncio
import os
import signal
import sys
from typing import Any

from earwitness_plugins.applications.migration import Backends, memories, moved, sessions
from earwitness_plugins.terminal.backends import opened_backends, settings_of

WRITES = {"create", "register", "append_all", "record", "acknowledge", "forget_owner", "write_data", "put", "admit"}


class Fatal:
    """Passes every call on; the last of the writes is the process's own end."""

    left = 0

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._behind, name)
        if name not in WRITES:
            return found

        async def write(*given: Any, **named: Any) -> Any:
            Fatal.left -= 1
            if Fatal.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return await found(*given, **named)

        return write


async def move(source: str, target: str) -> None:
    async with opened_backends(settings_of(source)) as one, opened_backends(settings_of(target)) as other:
        print("begun", flush=True)
        theirs: Any = Backends(Fatal(other.ledger), Fatal(other.store))
        await moved(one, theirs)
    print(Fatal.left)


if __name__ == "__main__":
    memories.CHUNK, sessions.CHUNK = 5, 16  # so that it is killed within a container and within a session
    Fatal.left = int(sys.argv[3])
    asyncio.run(move(sys.argv[1], sys.argv[2]))
