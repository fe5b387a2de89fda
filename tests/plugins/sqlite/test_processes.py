"""Several processes on one file, and what is left when one is killed."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

WRITER = """
import asyncio, sys
from earwitness.loading.resources import Resources
from earwitness_plugins.sqlite import Database

async def write(path, name, number):
    database = Database.at(path, Resources())
    await database.open("words", ("CREATE TABLE words (word TEXT NOT NULL UNIQUE)",))
    for each in range(number):
        word = f"{name}-{each}"
        await database.write(lambda connection: connection.execute("INSERT INTO words VALUES (?)", (word,)) and None)
        print(word, flush=True)
    await database.close()

asyncio.run(write(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def writer(path: Path, name: str, number: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), name, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_processes_that_create_and_fill_one_file_together_lose_nothing(words_at: Any, path: Path) -> None:
    running = [writer(path, name, 100) for name in ("a", "b", "c")]
    told = [word for process in running for word in process.communicate(timeout=60)[0].split()]
    assert [process.returncode for process in running] == [0, 0, 0]
    words = await words_at(path).open()
    assert sorted(await words.all()) == sorted(told)
    assert len(told) == 300
    await words.close()


async def test_what_was_acknowledged_survives_a_kill(words_at: Any, path: Path) -> None:
    told: list[str] = []
    for round in range(3):
        with writer(path, str(round), 1_000_000) as process:
            assert process.stdout is not None
            told.append(process.stdout.readline().strip())
            await asyncio.sleep(0.05 * (round + 1))
            process.kill()
            told += process.stdout.read().splitlines()[:-1]  # the last line may be cut in the middle
    words = await words_at(path).open()
    there = await words.all()
    assert set(told) <= set(there)
    assert len(there) == len(set(there))
    for round in range(3):
        of_round = [word for word in there if word.startswith(f"{round}-")]
        assert of_round == [f"{round}-{number}" for number in range(len(of_round))]
    assert await words.database.read(lambda c: c.pragma("quick_check")) == "ok"
    await words.close()
