"""`earwitness doctor`: versions, what is used, what is broken, and the health of store and graph."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earwitness import errors
from earwitness.ids import invisible
from earwitness.patterns import lazy_pattern
from earwitness.redaction import without_passwords
from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness import Earwitness
    from earwitness.loading.settings import Settings
    from earwitness.loading.strategy_spec import StrategySpec
    from earwitness.records.backends import Health
    from earwitness.spool import Undelivered

_EXTRA = lazy_pattern(r"(?P<name>[\w.-]+).*;.*\bextra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")
BUNDLES = frozenset({"all", "bench"})
"""Extras that no strategy needs by itself."""
EMPTIED = "was it emptied, does its key belong to another account, or did the settings name another store before? "
REFILL = (
    f"{EMPTIED}Bring back what it lacks with `earwitness migrate HERE THERE`: settings with the fallback as the store, "
    "and with the primary as the store"
)
MOVE = (
    f"{EMPTIED}If so, bring the memories over with `earwitness migrate BEFORE NOW`: the settings as they were, and as "
    "they are, with the same ledger. Do so before the stories go on"
)
MOST_REFUSED = 20
"""Refused memories that are named."""
REFUSED = (
    "the store refuses these for good. Mend what it says and `earwitness spool replay`, or give them up with "
    "`earwitness spool drop`"
)
PLACES = frozenset({"path", "folder"})
"""Settings of stores that name a place on this machine."""
PACKAGES = ("anyio", "apsw", "click", "numpy", "pluggy", "pydantic", "rich")


@story_command("doctor")
async def command(cli: CliContext) -> None:
    """Show versions, strategies in use, plugins, failures, embedder, language model, and health of store and graph.

    Exits with 1 when something is broken. A store that does not exist yet is not broken. Nothing is written. The
    embedder is asked for one vector, and the language model of [model] for a word.
    """
    from earwitness.loading.survey import embedder_failure, survey
    from earwitness_plugins.terminal.checkup import checkup

    settings = cli.settings()
    report = {**_versions(), **survey(settings).model_dump(mode="json")}
    report["store"] = await _store(settings, broken=bool(report["failures"]))
    if report["embedder"] and (failure := await embedder_failure(settings)):
        report["failures"].append(failure.model_dump())
    report["model"] = await _model(settings, report["failures"])
    report["ok"] = not report["failures"] and report["store"]["ok"]
    cli.answer(report, checkup(report))
    cli.finish(ok=report["ok"])


async def _model(settings: Settings, failures: list[dict[str, str]]) -> dict[str, str]:
    """The language model, where the settings have a table for it; why it does not answer is added to the failures."""
    if getattr(settings, "model", None) is None:
        return {}
    from earwitness_plugins.models.settings import model_settings
    from earwitness_plugins.models.trial import model_failure

    table = model_settings(settings)
    if (failure := await model_failure(settings)) is not None:
        failures.append(failure.model_dump())
    where = {} if table.base_url is None else {"base_url": without_passwords(str(table.base_url))}
    answers = "no" if failure else "from a cassette" if table.replays_only else "yes"
    return {"model": table.model, **where, "answers": answers}


def _versions() -> dict[str, Any]:
    packages = {name: version(name) for name in PACKAGES}
    about = {"earwitness": version("earwitness"), "python": platform.python_version(), "packages": packages}
    return {**about, "missing_extras": missing_extras()}


def missing_extras() -> list[str]:
    """Names of the extras of which a package is not installed, such as `openai`; without those that only bundle."""
    wanted = [found for each in requires("earwitness") or () if (found := _EXTRA.match(each))]
    return sorted(
        {found["extra"] for found in wanted if found["extra"] not in BUNDLES and not _is_there(found["name"])}
    )


def _is_there(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


async def _graph(ew: Earwitness) -> dict[str, Health]:
    """The health of the relationship graph, where the settings have a table for it."""
    if getattr(ew.settings, "relationships", None) is None:
        return {}
    from earwitness_relationships.pantheons.desk import model_of

    model = model_of(ew)
    await model.open()
    return {"graph": await model.graph.health()}


def _with_invisible(found: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Id, with its invisible characters escaped → the story and what is wrong with it."""
    return {
        ascii(id): f"in story {session!a} holds {invisible(id)}, which is invisible"
        for session, ids in found.items()
        for id in ids
    }


def _spool(waiting: Sequence[Undelivered]) -> dict[str, int | str]:
    """How much the store has not taken yet, and why; nothing if nothing waits."""
    if not waiting:
        return {}
    why = next((each.failure for each in waiting if each.failure), None)
    refused = {f"refused {each.container} {id}": reason for each in waiting for id, reason in each.refused.items()}
    found: dict[str, int | str] = {"waiting": sum(each.count for each in waiting)}
    found |= {"removals": removals} if (removals := sum(each.removals for each in waiting)) else {}
    found |= {"failure": why} if why else {}
    found |= {"refused": len(refused), **dict(islice(refused.items(), MOST_REFUSED))} if refused else {}
    return found | ({"advice": REFUSED} if refused else {})


def _lacks(found: Mapping[str, tuple[int, int]], advice: str) -> dict[str, str]:
    """What the store, or the primary of two, lacks, and what to do; nothing if it lacks nothing."""
    lacks = {name: f"{there:,} of {here:,} are there" for name, (there, here) in found.items()}
    return {**lacks, "advice": advice} if lacks else {}


async def _store(settings: Settings, *, broken: bool) -> dict[str, Any]:
    """The health of ledger and store. A file that does not exist yet is not a fault: the first story makes it."""
    from earwitness.app import Earwitness
    from earwitness.preparation import unprepared
    from earwitness_plugins.terminal.context import store_exists

    if not store_exists(settings):
        if lacking := _lacking_folder(settings):
            return {"path": settings.path, "exists": False, "ok": False, "note": lacking}
        asked = {} if broken else await _store_elsewhere(settings)
        return {"path": settings.path, "exists": False, "ok": True, **asked}
    try:
        ew = Earwitness.open(settings=settings)
        if left := await unprepared(ew):
            return {**_file(settings), **_unprepared(left)}
        async with ew:
            health, invisible = {**await ew.health(), **await _graph(ew)}, await ew.invisible_ids()
            spool = _spool(await ew.spool.waiting())
            has_two = "primary" in health["store"].details
            lacks = _lacks(await ew.spool.lacking() if health["store"].ok else {}, REFILL if has_two else MOVE)
    except Exception as error:  # noqa: BLE001 - a doctor names what is broken
        note = "not looked at: what is broken comes first" if broken else errors.named(error)
        return {**_file(settings), "exists": True, "ok": False, "note": note}
    details: dict[str, Any] = {part: found.details for part, found in health.items()}
    details |= {"spool": spool} if spool else {}
    details |= {"primary lacks" if has_two else "store lacks": lacks} if lacks else {}
    if invisible:
        details["ids"] = _with_invisible(invisible)
    ok = all(found.ok for found in health.values()) and not {"failure", "refused"}.intersection(spool) and not lacks
    return {**_file(settings), "exists": True, "ok": ok, **details}


def _unprepared(found: Mapping[str, Health]) -> dict[str, Any]:
    """What the first story would make, such as tables: no fault if it can."""
    parts = {part: each.details for part, each in found.items()}
    return {"exists": False, "ok": all(each.ok for each in found.values()), **parts}


def _lacking_folder(settings: Settings) -> str | None:
    """Why the first story could not make the store's file; `None` if it can."""
    folder = Path(settings.path or "").parent
    if not folder.is_dir():
        return f"there is no folder {str(folder)!r}. Make it first, or name another file"
    return None if os.access(folder, os.W_OK) else f"the folder {str(folder)!r} cannot be written to"


async def _store_elsewhere(settings: Settings) -> dict[str, Any]:
    """The health of a store that may be elsewhere, such as a service, asked while the stories' file is still missing.

    Nothing is made here: what the store would make beside the file, it makes in a folder that is removed again.
    """
    from tempfile import TemporaryDirectory

    from earwitness.app import Earwitness
    from earwitness.preparation import unprepared

    if settings.store.name == settings.ledger.name:
        return {}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        given = settings.changed(path=str(Path(folder) / "stories.db"), store=_without_places(settings.store, folder))
        try:
            ew = Earwitness.open(settings=given)
            if health := (await unprepared(ew)).get("store"):
                return {"ok": health.ok, "store": health.details}
            async with ew:
                health = (await ew.health())["store"]
        except Exception as error:  # noqa: BLE001 - a doctor names what is broken
            return {"ok": False, "note": errors.named(error).replace(folder, "")}
    return {"ok": health.ok, "store": {name: each for name, each in health.details.items() if folder not in str(each)}}


def _without_places(store: StrategySpec, folder: str) -> StrategySpec:
    """The store's settings, with a place in this folder for every one that does not exist yet."""

    def replaced(settings: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: replaced(value)
            if isinstance(value, Mapping)
            else str(Path(folder) / Path(value).name)
            if name in PLACES and isinstance(value, str) and not Path(value).exists()
            else value
            for name, value in settings.items()
        }

    return store.changed(replaced(store.revealed))


def _file(settings: Settings) -> dict[str, str | None]:
    """The file of the stories; nothing if the ledger is in no file: its health says where it is."""
    return {"path": settings.path} if settings.ledger.name == "sqlite" else {}
