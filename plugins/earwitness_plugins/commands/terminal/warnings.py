"""What was mended in a file, on standard error: the answer itself stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

import click

from .people import plain

MOST = 12


def warn(sentences: Sequence[str]) -> None:
    """Say each, but not more than anybody reads."""
    for sentence in sentences[:MOST]:
        click.echo(f"Warning: {plain(sentence)}.", err=True)
    if len(sentences) > MOST:
        click.echo(f"Warning: and {len(sentences) - MOST} more like these.", err=True)
