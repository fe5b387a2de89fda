"""Where a local store is, if nobody says it."""

from __future__ import annotations

from earwitness.loading.settings import Settings
from earwitness.wiring import DEFAULT_FILE

IN_MEMORY = ":memory:"


def its_own_folder(path: str, settings: Settings | None, ending: str) -> str:
    """The folder that was named; or the story's file, which a factory is given otherwise, with an ending."""
    is_the_story = settings is not None and path == (settings.path or DEFAULT_FILE)
    return f"{path}{ending}" if is_the_story and path != IN_MEMORY else path
