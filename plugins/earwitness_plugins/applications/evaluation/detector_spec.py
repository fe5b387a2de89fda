"""Detectors as the command line names them: `rules`, `recent_speakers(n=5)`, `mine.LastTwo`, `rules@fitted.toml`."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Mapping
from inspect import isawaitable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from earwitness.errors import InputError, SettingsError
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.files import read_toml
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import NamedSettings, StrategySpec
from earwitness.patterns import lazy_pattern
from earwitness.protocols import Detector
from earwitness.redaction import REDACTED

from ..strategy_words import parts, settings_in
from .labels import LABELS, PATH

_NAMED = lazy_pattern(r"(?P<name>[\w.:-]*)(?:\((?P<given>.*)\))?(?:@(?P<file>.+))?", re.DOTALL)

PLAYED_THROUGH_END = ("knowledge", "recall")
"""Tasks whose scenes become stories in a store; the others only play them to the detector."""
ORACLES = {LABELS: PATH}
"""What may be named beside detectors where scenes are played through END → the name by which it is made."""
DEFAULT_DETECTORS = {"addressees": "addressees"}
"""Task → the detector made for it. Other tasks take the detector of the settings."""


class DetectorSpec(NamedSettings):
    """One detector of a run, with everything needed to make it again but its secrets."""

    label: str
    """As it was requested, without secrets; its name in tables."""
    end: EndSettings = EndSettings()
    """How END uses its answers, above all the threshold."""
    code: str | None = None
    """SHA-256 of its source file; `None` where there is no such file."""

    @property
    def strategy(self) -> StrategySpec:
        """Name and settings, as `Strategies.make` takes them."""
        return StrategySpec(name=self.name).changed(self.revealed)


def detector_specs(
    text: str, strategies: Strategies, end: EndSettings, oracles: Mapping[str, str] = MappingProxyType({})
) -> tuple[DetectorSpec, ...]:
    """Parse `a,b(n=5),c@file.toml` into detectors, without duplicates. `end` applies unless a file has its own.

    `oracles` may be named too: name → the name by which it is made.
    Raises `InputError` for text that is not a detector, `SettingsError` for a bad settings file, and `UnknownName`.
    """
    found = [
        _spec(part, StrategySpec(name=oracles[part]), end, strategies)
        if part in oracles
        else _parsed(part, strategies, end)
        for part in parts(text)
    ]
    if not found:
        known = ", ".join(strategies.names("detector"))
        raise InputError(f"--detector {text!r} names no detector. Known detectors: {known}.")
    return tuple({spec.label: spec for spec in found}.values())


def default(settings: Settings, strategies: Strategies) -> DetectorSpec:
    """The detector that a story with these settings uses, or else `rules`. Raises as `detector_specs`."""
    spec = settings.detector or StrategySpec(name="rules")
    return _spec(spec.name, spec, settings.end, strategies)


def requested(
    text: str | None, task: str, settings: Settings, strategies: Strategies, threshold: float | None = None
) -> tuple[DetectorSpec, ...]:
    """The detectors that a command line requests. Without a text: the task's own, or the one in the settings.

    `threshold` replaces END's. Raises as `detector_specs`.
    """
    text = text or DEFAULT_DETECTORS.get(task)
    if text and task not in PLAYED_THROUGH_END and (oracle := next(filter(ORACLES.get, parts(text)), None)):
        played = " and ".join(PLAYED_THROUGH_END)
        raise InputError(f"--detector {oracle} would be scored by its own answers for {task}. Use it for {played}.")
    oracles = ORACLES if task in PLAYED_THROUGH_END else {}
    found = detector_specs(text, strategies, settings.end, oracles) if text else (default(settings, strategies),)
    if threshold is None:
        return found
    return tuple(
        each.model_copy(update={"end": each.end.model_copy(update={"threshold": threshold})}) for each in found
    )


def make_detector(spec: DetectorSpec, strategies: Strategies, seed: int, settings: Settings | None = None) -> Detector:
    """Make the detector. Its factory may have parameters named `seed`, `embedder` and `end`, and what it needs to ask a
    language model: `settings`, `resources` and `strategies`.

    Raises `UnknownName`, `SettingsError`, `StrategyError`.
    """
    context: dict[str, Any] = {
        "seed": seed,
        "resources": Resources(),
        "settings": settings or Settings(),
        "strategies": strategies,
        "end": spec.end,
    }
    factory = strategies.factory("detector", spec.name)
    if "embedder" in inspect.signature(factory).parameters:
        embedder = Settings().embedder
        context["embedder"] = strategies.make("embedder", embedder, **context) if embedder else None
    detector = strategies.make("detector", spec.strategy, **context)
    if not isinstance(detector, Detector):
        raise SettingsError(f"{spec.label!r} is not a detector: it has no method `detect(moment)`.")
    return detector


async def close_detector(detector: Detector) -> None:
    """Close a detector that can be closed, such as one that asks a language model."""
    if (close := getattr(detector, "close", None)) is not None and isawaitable(closing := close()):
        await closing


def _parsed(text: str, strategies: Strategies, end: EndSettings) -> DetectorSpec:
    found = _NAMED.fullmatch(text)
    if found is None or not (found["name"] or found["file"]):
        raise InputError(f"cannot read the detector {text!r}. Write name, name(setting=value) or name@settings.toml.")
    name, settings = found["name"], settings_in(text, found["given"])
    if found["file"]:
        name, kept, end = _from_file(found["file"], name, end)
        settings = {**kept, **settings}
    return _spec(text, StrategySpec(name=name, settings=settings), end, strategies)


def _spec(label: str, spec: StrategySpec, end: EndSettings, strategies: Strategies) -> DetectorSpec:
    code = _digest(strategies.factory("detector", spec.name))
    made = DetectorSpec(label=label, name=spec.name, settings=dict(spec.revealed), end=end, code=code)
    made = made.masking(strategies.secrets("detector", spec))
    for secret in made.secrets():
        label = label.replace(secret, REDACTED)
    return made.model_copy(update={"label": label})


def _from_file(path: str, name: str, end: EndSettings) -> tuple[str, dict[str, Any], EndSettings]:
    """Name and settings of the detector in a settings file, and END's settings: the file's, or else `end`."""
    raw = read_toml(path, SettingsError)
    settings = Settings.load(path)
    if "detector" not in raw.value or settings.detector is None:
        raise raw.error((), f"it has no detector. Write [detector] with name = {name or 'rules'!r}.")
    if name and settings.detector.name != name:
        raise raw.error(("detector",), f"it is for the detector {settings.detector.name!r}, not {name!r}.")
    return settings.detector.name, dict(settings.detector.revealed), settings.end if "end" in raw.value else end


def _digest(factory: object) -> str | None:
    try:
        file = inspect.getsourcefile(inspect.unwrap(factory))  # type: ignore[arg-type]
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (TypeError, OSError):
        return None
