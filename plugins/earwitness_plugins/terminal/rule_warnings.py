"""Warnings about the rule file of a story that is played or asked about, on standard error."""

from __future__ import annotations

from collections.abc import Iterable

import click

from earwitness.loading.settings import Settings
from earwitness.records.character import Character
from earwitness_relationships.rules.check import misspelt_names
from earwitness_relationships.rules.file import rule_file
from earwitness_relationships.settings import RelationshipsSettings

from .rule_tables import warning_lines


def warn_of_misspelt_names(settings: Settings, cast: Iterable[Character]) -> None:
    """Print names in the rule file that are probably misspelt, each with line, column and whom it may mean."""
    rules = settings.table(RelationshipsSettings).rules
    if rules is None:
        return
    path = settings.folder / rules
    if found := misspelt_names(rule_file(path), {each.personality_id for each in cast}):
        click.echo(warning_lines(str(path), found), err=True)
