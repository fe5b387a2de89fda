"""A process that keeps a PostgreSQL server running until its own input ends, as it does when its parent is killed.

It runs as a script, and imports nothing of Earwitness.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_LOOK = 0.2
"""Seconds between two looks at the server."""


def keep(folder: str, command: list[str], identity: dict[str, Any]) -> int:
    """Run the server until the parent says `stop` or `crash`, or is gone; then its folder goes, too."""
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)  # who sends it to a whole group of processes means the parent
    server = subprocess.Popen(  # noqa: S603 - our own
        command, cwd=folder, stdin=subprocess.DEVNULL, start_new_session=True, **identity
    )
    word = _word(server)
    if word == "crash":
        _kill(server.pid)
    elif server.poll() is None:
        server.send_signal(signal.SIGINT)
    code = server.wait()
    if not word:
        shutil.rmtree(folder, ignore_errors=True)
    return code


def _word(server: subprocess.Popen[bytes]) -> str:
    """What the parent says; nothing when it is gone. A server that ends by itself is as one that was stopped."""
    while server.poll() is None:
        if select.select([sys.stdin], [], [], _LOOK)[0]:
            return sys.stdin.readline().strip()
    return "ended"


def _kill(pid: int) -> None:
    """`kill -9` of the server and of its processes, which are in groups of their own."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    its = children.read_text().split() if children.exists() else []
    for each in (pid, *map(int, its)):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(keep(**json.loads(sys.argv[1])))
