"""`earwitness serve --proxy`: an endpoint like OpenAI's that remembers, for front ends that people already have."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from pydantic import SecretStr

LOOPBACK = ("127.0.0.1", "::1", "localhost")
NEEDED = "the proxy needs its server: pip install 'earwitness[serve]'."


@story_command("serve")
@click.option("--proxy", is_flag=True, help="Serve an endpoint like OpenAI's, in front of the model of [model].")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address needs a token in [proxy].")
@click.option("--port", type=click.IntRange(0, 65_535), default=8765, show_default=True, help="0 = any free port.")
async def command(cli: CliContext, proxy: bool, host: str, port: int) -> None:
    """Serve an endpoint for front ends such as SillyTavern, until Ctrl-C.

    Give the front end the address that is shown as its endpoint, and the token as its key. What characters say and hear
    is remembered, and what they remember reaches the model.
    """
    from earwitness.errors import InputError, SettingsError

    if not proxy:
        raise InputError("say what to serve: earwitness serve --proxy.")
    try:
        from earwitness_plugins.applications.proxy.endpoint import serving
    except ModuleNotFoundError as missing:
        raise SettingsError(NEEDED) from missing
    from earwitness_plugins.applications.proxy.settings import ProxySettings

    async with cli.open(create=True) as ew:
        settings = ew.settings.table(ProxySettings)
        token = _token(settings.token, host)
        async with serving(ew, token=token, settings=settings, host=host, port=port) as served:
            key = "the token in [proxy]" if settings.token else token
            cli.answer({"url": served.url}, f"Serving at {served.url}. Stop it with Ctrl-C.\nAPI key: {key}")
            try:
                await served.ended
            finally:
                click.echo("Stopped.", err=cli.json)


def _token(given: SecretStr | None, host: str) -> str:
    """The token. Raises `SettingsError` where others could reach the proxy and there is none in the settings."""
    from earwitness.errors import SettingsError

    if given is None and host not in LOOPBACK:
        raise SettingsError(
            f"others may reach {host}: set a token in earwitness.toml, [proxy] "
            'token = { env = "EARWITNESS_TOKEN" }, or serve on 127.0.0.1.'
        )
    return given.get_secret_value() if given else token_urlsafe(24)
