"""`earwitness emulate supermemory`: a service on this machine, for those who try without an account."""

from __future__ import annotations

from pathlib import Path

import click

from earwitness_plugins.terminal import GuessingGroup


@click.group("emulate", cls=GuessingGroup)
def command() -> None:
    """Run a service on this machine that behaves as a real one does, to try a backend without an account."""


@command.command("supermemory")
@click.option("--port", type=click.IntRange(0, 65_535), default=6767, show_default=True, help="0 = any free port.")
@click.option("--lag", type=click.FloatRange(0), default=1.0, show_default=True, help="Seconds until it is found.")
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
        raise InputError(
            f"port {port} of this machine cannot be used: {error.strerror}. Choose another --port."
        ) from error
    click.echo(_how_to_use(emulator.url))
    try:
        emulator.wait()
    except KeyboardInterrupt:
        click.echo("Stopped.")
    finally:
        emulator.stop()


def _how_to_use(url: str) -> str:
    return f"""Supermemory is emulated at {url}. Stop it with Ctrl-C. Add to the end of your settings file:

[store]
name = "supermemory"
api_key = "any"
base_url = "{url}\""""
