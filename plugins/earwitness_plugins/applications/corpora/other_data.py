"""Other labelled data, which a corpus must share no lines with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from earwitness.errors import InputError, StoryError
from earwitness.imports import Scene
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.imports.detect_format import read_file


def other_scenes(strategies: Strategies, paths: Sequence[str]) -> Iterator[tuple[str, Scene]]:
    """The scenes of some files, and of all files in some folders that an importer accepts; each with its file.

    Raises `StoryError` for a file that is named and cannot be read, and `InputError` for a folder without any scene.
    """
    for path in paths:
        if Path(path).is_dir():
            yield from _in_folder(strategies, Path(path))
        else:
            yield from ((path, scene) for scene in read_file(strategies, path).scenes)


def _in_folder(strategies: Strategies, folder: Path) -> Iterator[tuple[str, Scene]]:
    found = False
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            scenes = read_file(strategies, str(path)).scenes
        except StoryError:  # a licence, a table, a program, …
            continue
        for scene in scenes:
            found = True
            yield str(path), scene
    if not found:
        raise InputError(
            f"--against: no file in {str(folder)!r} holds a scene. Name a file or folder of labelled data, in a format "
            "that `earwitness import` reads."
        )
