"""Detectors as a command line names them: `rules`, `recent_speakers(n=5)`, `mine.LastTwo`, `rules@fitted.toml`."""

from __future__ import annotations

import hashlib
import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

from earwitness.errors import InputError, SettingsError
from earwitness.loading.located import read_toml
from earwitness.loading.resources import Resources
from earwitness.loading.settings import EndSettings, Settings, StrategySpec
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Detector
from earwitness.records.base import Record

_PART = re.compile(r'"[^"]*"|\'[^\']*\'|[(\[{]|[)\]}]|,|[^"\'(\[{)\]},]+|.')
_NAMED = re.compile(r"(?P<name>[\w.:-]*)(?:\((?P<given>.*)\))?(?:@(?P<file>.+))?", re.DOTALL)


OWN = {"addressees": "addressees"}
"""Task → the detector that was made for it."""


class Choice(Record):
    """One detector of a run, with everything it takes to make it again."""

    label: str
    """As it was asked for; what tables call it."""
    name: str
    """As it is registered, or where it is found."""
    settings: dict[str, Any] = {}
    """Keyword arguments of its factory."""
    end: EndSettings = EndSettings()
    """What END does with its answers: the threshold above all."""
    code: str | None = None
    """SHA-256 of the source file it comes from, in as far as there is one."""

    @property
    def spec(self) -> StrategySpec:
        """As settings say it."""
        return StrategySpec(name=self.name, settings=self.settings)


def choices(text: str, strategies: Strategies, end: EndSettings) -> tuple[Choice, ...]:
    """The detectors named in `a,b(n=5),c@file.toml`, each once. `end` holds where a file says nothing else.

    Raises `InputError` for what cannot be read as a name, `SettingsError` for a settings file, `UnknownName`.
    """
    found = [_choice(part, strategies, end) for part in _parts(text)]
    if not found:
        known = ", ".join(strategies.names("detector"))
        raise InputError(f"--detector {text!r} names no detector. There are: {known}.")
    return tuple({choice.label: choice for choice in found}.values())


def default(settings: Settings, strategies: Strategies) -> Choice:
    """The detector that a story with these settings has; `rules` where it has none. Raises as `choices`."""
    spec = settings.detector or StrategySpec(name="rules")
    code = _digest(strategies.factory("detector", spec.name))
    return Choice(label=spec.name, name=spec.name, settings=spec.settings, end=settings.end, code=code)


def asked_for(
    text: str | None, task: str, settings: Settings, strategies: Strategies, threshold: float | None = None
) -> tuple[Choice, ...]:
    """The detectors of a command line; without a text the task's own, or the one of the settings.

    `threshold` replaces END's. Raises as `choices`.
    """
    text = text or OWN.get(task)
    found = choices(text, strategies, settings.end) if text else (default(settings, strategies),)
    if threshold is None:
        return found
    return tuple(
        each.model_copy(update={"end": each.end.model_copy(update={"threshold": threshold})}) for each in found
    )


def made(choice: Choice, strategies: Strategies, seed: int) -> Detector:
    """A fresh detector. A factory that asks for `seed`, `resources` or `embedder` is given them.

    Raises `UnknownName`, `SettingsError`, `StrategyError`.
    """
    context: dict[str, Any] = {"seed": seed, "resources": Resources()}
    factory = strategies.factory("detector", choice.name)
    if "embedder" in inspect.signature(factory).parameters:
        embedder = Settings().embedder
        context["embedder"] = strategies.make("embedder", embedder, **context) if embedder else None
    detector = strategies.make("detector", choice.spec, **context)
    if not isinstance(detector, Detector):
        raise SettingsError(f"{choice.label!r} is no detector: it has no method `detect(moment)`.")
    return detector


def _parts(text: str) -> list[str]:
    """What stands between commas; commas in brackets and quotes part nothing."""
    parts, depth = [""], 0
    for piece in _PART.findall(text):
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts if part.strip()]


def _choice(text: str, strategies: Strategies, end: EndSettings) -> Choice:
    found = _NAMED.fullmatch(text)
    if found is None or not (found["name"] or found["file"]):
        raise InputError(f"cannot read the detector {text!r}. Write name, name(setting=value) or name@settings.toml.")
    name, settings = found["name"], _given(text, found["given"])
    if found["file"]:
        name, kept, end = _from_file(found["file"], name, end)
        settings = {**kept, **settings}
    factory = strategies.factory("detector", name)
    return Choice(label=text, name=name, settings=settings, end=end, code=_digest(factory))


def _given(text: str, given: str | None) -> dict[str, Any]:
    """`n=5, who=["a"]`: settings with values as TOML writes them."""
    settings: dict[str, Any] = {}
    for part in _parts(given or ""):
        try:
            settings.update(tomllib.loads(part))
        except tomllib.TOMLDecodeError as error:
            told = f"cannot read {part!r} in {text!r}: write setting=value, text in quotes."
            raise InputError(told) from error
    return settings


def _from_file(path: str, name: str, end: EndSettings) -> tuple[str, dict[str, Any], EndSettings]:
    """What an `earwitness.toml`, or a part of one, says of the detector, and of END where it says anything."""
    raw = read_toml(path, SettingsError)
    settings = Settings.load(path)
    if "detector" not in raw.value or settings.detector is None:
        raise raw.error((), f"it says nothing of a detector. Write [detector] with name = {name or 'rules'!r}.")
    if name and settings.detector.name != name:
        raise raw.error(("detector",), f"it is for the detector {settings.detector.name!r}, not {name!r}.")
    return settings.detector.name, settings.detector.settings, settings.end if "end" in raw.value else end


def _digest(factory: object) -> str | None:
    try:
        file = inspect.getsourcefile(inspect.unwrap(factory))  # type: ignore[arg-type]
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (TypeError, OSError):
        return None
