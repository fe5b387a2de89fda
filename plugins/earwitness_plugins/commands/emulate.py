"""`earwitness emulate SERVICE`: a service on this machine, for those who try without an account."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import click

from earwitness_plugins.terminal import GuessingGroup

Function = Callable[..., Any]
MODEL = """A language model is emulated at {url}. Stop it with Ctrl-C. Add to the end of your settings file:

[model]
model = "parrot"
base_url = "{url}\""""


@click.group("emulate", cls=GuessingGroup)
def command() -> None:
    """Run a service on this machine in place of a real one, to try a backend, chat or proxy without an account."""


def _port(default: int) -> Callable[[Function], Function]:
    return click.option(
        "--port", type=click.IntRange(0, 65_535), default=default, show_default=True, help="0 = any free port."
    )


@command.command("model")
@_port(8080)
def model(port: int) -> None:
    """Emulate a language model until Ctrl-C: it repeats what it hears. Any key will do.

    It speaks as OpenAI's endpoint for chats does. So `earwitness chat` and `earwitness serve --proxy` can be tried
    before there is a model. It understands nothing.
    """
    from earwitness_plugins.testing.model import ScriptedModel, parrot

    try:
        with ScriptedModel(parrot, key=None, port=port) as served:
            click.echo(MODEL.format(url=served.url))
            Event().wait()
    except KeyboardInterrupt:
        click.echo("Stopped.")
    except OSError as error:
        raise _taken(port, error) from error


@command.command("supermemory")
@_port(6767)
@click.option(
    "--lag", type=click.FloatRange(0), default=1.0, show_default=True, help="Seconds until a new text is found."
)
@click.option(
    "--faults", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of failing requests."
)
@click.option("--keep", metavar="FILE", help="Keep what is written in a file, for the next start.")
def supermemory(port: int, lag: float, faults: float, keep: str | None) -> None:
    """Emulate Supermemory until Ctrl-C. Nothing leaves this machine, and any key will do.

    It finds texts by their words alone. With --faults, requests fail in all the ways that services do.
    """
    from earwitness.errors import InputError, SettingsError

    try:
        from earwitness_plugins.testing.supermemory import Emulator, Faults
    except ModuleNotFoundError as missing:
        needed = "the emulator needs what comes with the client: pip install 'earwitness[supermemory]'."
        raise SettingsError(needed) from missing
    if keep is not None and Path(keep).is_dir():
        raise InputError(f"--keep {keep}: this is a folder. Name a file; it is made if it is not there.")
    try:
        emulator = Emulator(port=port, lag=lag, faults=Faults(rate=faults), path=keep).start()
    except OSError as error:
        if error.filename is not None:
            raise InputError(f"--keep {keep}: it cannot be read or written: {error.strerror}.") from error
        raise _taken(port, error) from error
    click.echo(_how_to_use(emulator.url))
    try:
        emulator.wait()
    except KeyboardInterrupt:
        click.echo("Stopped.")
    finally:
        emulator.stop()


def _taken(port: int, error: OSError) -> Exception:
    from earwitness.errors import InputError

    return InputError(f"port {port} of this machine cannot be used: {error.strerror}. Choose another --port.")


def _how_to_use(url: str) -> str:
    return f"""Supermemory is emulated at {url}. Stop it with Ctrl-C. Add to the end of your settings file:

[store]
name = "supermemory"
api_key = "any"
base_url = "{url}\""""
