"""Questions before something is removed for good."""

from __future__ import annotations

import click

from earwitness.errors import InputError


def confirm(question: str) -> None:
    """Ask, and return for a yes. Raises `Abort` for a no, `InputError` when nobody can answer."""
    try:
        click.confirm(question, abort=True, err=True)
    except click.Abort as stopped:
        if not isinstance(stopped.__context__, EOFError):
            raise
        click.echo(err=True)
        raise InputError(
            "there is no terminal to ask on, so nothing was removed. --yes removes it without asking."
        ) from None
