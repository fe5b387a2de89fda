"""The program that test_postgres_kills kills: it talks in eight stories on one PostgreSQL ledger until told to stop.

    python postgres_play.py DSN FOLDER SEED

What is acknowledged, what its detector is asked, and which claims are lost is written to a log in the folder. A file
`stop` ends it, and so does the end of its input: whoever started it is gone.
"""

import asyncio
import json
import logging
import os
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import SecretStr

from earwitness import Earwitness, Moment, Perceived, Presence, Settings
from earwitness.errors import StorageError
from earwitness.loading.resources import Resources
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.stores.postgres import PostgresStore

T = TypeVar("T")
CAST = ("alice", "bob")
STORIES = tuple(f"s{number}" for number in range(8))
CLAIM_SECONDS = 2.0


class Log:
    """Lines that survive a kill: each is one write to the end of a file."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(self, what: str, message: str, at: float | None = None) -> None:
        moment = time.monotonic() if at is None else at
        line = {"what": what, "message": message, "pid": os.getpid(), "time": moment}
        os.write(self._file, f"{json.dumps(line)}\n".encode())


class Noting:
    """Everybody hears everything; what is asked is noted."""

    def __init__(self, log: Log, dice: random.Random) -> None:
        self._log, self._dice = log, dice

    async def detect(self, moment: Moment) -> Presence:
        self._log.note("asked", moment.message.content)
        await asyncio.sleep(self._dice.uniform(0, 0.03))
        return Presence(characters={id: Perceived(probability=1, role="present") for id in CAST})


def parts(dsn: str) -> dict[str, Any]:
    """Ledger and store of one process."""
    resources = Resources()
    ledger = PostgresLedger(dsn=SecretStr(dsn), resources=resources, timeout=30, claim_seconds=CLAIM_SECONDS)
    store = PostgresStore(dsn=SecretStr(dsn), embedder=None, resources=resources, timeout=30)
    return {"ledger": ledger, "store": store, "settings": Settings.of(plugins=[], world_agent="none")}


def note_claims(claims: Any, log: Log) -> None:
    """Note from when on a claim holds, each time it is taken or renewed."""
    ask, renewed = claims._ask, claims._renewed

    async def noted_ask(session: str) -> Any:
        began, found = time.monotonic(), await ask(session)
        if found.holder == claims._holder:
            log.note("claimed", session, began)
        return found

    async def noted_renewal(sessions: list[str]) -> list[str]:
        began, held = time.monotonic(), await renewed(sessions)
        for session in held:
            log.note("claimed", session, began)
        return cast("list[str]", held)

    claims._ask, claims._renewed = noted_ask, noted_renewal


async def play(dsn: str, folder: Path, dice: random.Random) -> None:
    log, number, parts_here = Log(folder), 0, parts(dsn)
    note_claims(parts_here["ledger"]._claims, log)
    async with Earwitness.open(**parts_here, detector=Noting(log, dice)) as ew:
        stories = [await _at_last(lambda id=id: ew.session(id, cast=CAST)) for id in STORIES]  # type: ignore[misc]
        while not (folder / "stop").exists():
            number += 1
            story, key = dice.choice(stories), f"{os.getpid()}-{number}"
            said = f"{story.id} {key}"
            outcome = await _at_last(lambda: story.say("alice", said, key=key))  # noqa: B023 - awaited at once
            log.note("said", said)
            if dice.random() < 0.5:
                await _at_last(outcome.settled)
        for story in stories:
            await _at_last(story.settled)


async def _at_last(call: Callable[[], Awaitable[T]]) -> T:
    """The answer, once the server is there again."""
    while True:
        with suppress(StorageError):
            return await call()
        await asyncio.sleep(0.05)


async def main(dsn: str, folder: Path, seed: str) -> None:
    dice = random.Random(seed)
    while True:
        try:
            return await play(dsn, folder, dice)
        except StorageError as error:  # it was away while the program began or ended
            print(error, file=sys.stderr, flush=True)


def end_with_input() -> None:
    """End this process when its input ends: its parent was killed, and nobody else would end it."""

    def wait() -> None:
        os.read(0, 1)  # not sys.stdin, whose lock a thread may not hold when the interpreter ends
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    end_with_input()
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # it warns of each attempt while the server is away
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
