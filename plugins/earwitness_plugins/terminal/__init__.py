"""The command line: what a command is given, how its errors end, and how its answers look.

A command of your own needs two names from here: `story_command` and `CliContext`; a group of commands `GuessingGroup`.
"""

from __future__ import annotations

from .command import GuessingGroup, story_command
from .context import CliContext

__all__ = ["CliContext", "GuessingGroup", "story_command"]
