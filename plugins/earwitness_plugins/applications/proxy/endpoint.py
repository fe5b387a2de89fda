"""The proxy of an open Earwitness on a port of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import dataclass
from typing import Any

import uvicorn

from earwitness import Earwitness
from earwitness.errors import InputError
from earwitness_plugins.models.client import ModelClient

from .server import ProxyApp
from .settings import ProxySettings
from .upstream import Upstream

GRACE = 5
"""Seconds that answers on their way have when it is stopped."""


class _SignallessServer(uvicorn.Server):
    """Leaves signals to the program that it is a part of."""

    def capture_signals(self) -> Any:
        return nullcontext()


@dataclass(frozen=True)
class Serving:
    """A proxy that serves."""

    url: str
    """What front ends take as base URL."""
    ended: asyncio.Task[None]
    """Ends when the server does."""


@asynccontextmanager
async def serving(
    ew: Earwitness, *, token: str, settings: ProxySettings, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Serving]:
    """Serve while entered; port 0 is any free one. Raises `SettingsError` without `[model]`, `InputError` for a port
    that cannot be used."""
    upstream = Upstream(ModelClient.shared(ew.settings, ew.resources, ew.strategies).settings, settings.timeout)
    with closing(_listening(host, port)) as listening:
        app = ProxyApp(ew, settings, upstream, token)
        config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, lifespan="off")
        server = _SignallessServer(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            shown = f"[{host}]" if ":" in host else host
            yield Serving(f"http://{shown}:{listening.getsockname()[1]}/v1", task)
        finally:
            server.should_exit = True
            await asyncio.gather(task, return_exceptions=True)
            await upstream.close()


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(f"{host}, port {port}, cannot be used: {error.strerror}. Choose another --port.") from error
