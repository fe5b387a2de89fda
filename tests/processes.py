"""Processes that tests start: each can be interrupted, and ends with the test that started it."""

import signal
import subprocess
import threading
from collections.abc import Generator, Iterator
from typing import Any

import pytest


def accept_interrupts() -> None:
    """Take Ctrl-C as in a terminal, here and in the processes started from here.

    A shell lets its background jobs ignore it, which every process they start inherits.
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _Shared:
    """Whether a fixture is being made that several tests share: its processes end with it."""

    depth = 0


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """Note which fixture is being made: a test may ask for a shared one while it runs."""
    is_shared = fixturedef.scope != "function"
    _Shared.depth += is_shared
    try:
        return (yield)
    finally:
        _Shared.depth -= is_shared


@pytest.fixture(autouse=True)
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill what a test leaves running when it fails. A `with` block that fails does not wait for its process."""
    started: list[subprocess.Popen[Any]] = []

    class EndingPopen(subprocess.Popen[Any]):
        def __init__(self, *args: Any, **options: Any) -> None:
            if not _Shared.depth:
                started.append(self)
            super().__init__(*args, **options)

        def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
            if error is not None:
                self.kill()
            super().__exit__(kind, error, trace)

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", EndingPopen)
        yield
    for each in started:
        if getattr(each, "pid", None) is not None and each.poll() is None:
            each.kill()
            each.wait()
