"""The detectors `language_model` and `hybrid`, as detectors, in `vote`, and behind `end.unsure`."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from earwitness import Earwitness, Moment, Presence, Session, Settings
from earwitness.errors import SettingsError
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.outcome import Settlement
from earwitness.records.plan import Answer
from earwitness.testing.detector import DetectorSuite
from earwitness.testing.moments import moment
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.detectors.hybrid import HybridDetector
from earwitness_plugins.detectors.language_model import LanguageModelDetector
from earwitness_plugins.models.records import ModelReply, ModelRequest
from earwitness_plugins.testing.model import ModelScript, ScriptedAnswer, ScriptedModel

Begin = Callable[..., Awaitable[tuple[Session, ScriptedModel]]]
CAST = ["alice", "bob", "charlie", "dora"]
PATIENT = {"plugin_timeout": 120.0, "detector_timeout": 120.0}
HERE = ["alice", "bob", "charlie"]


def names(**confidences: float) -> dict[str, Any]:
    """An answer that names these."""
    said = [{"name": name, "confidence": each, "evidence": "seen"} for name, each in confidences.items()]
    return {"participants": said}


@pytest.fixture
async def begin() -> AsyncIterator[Begin]:
    """Open a story with a scripted model; Dora is in the cellar."""
    async with AsyncExitStack() as stack:

        async def begin(script: ModelScript, **strategies: Any) -> tuple[Session, ScriptedModel]:
            model = stack.enter_context(ScriptedModel(script))
            end = {**PATIENT, **strategies.pop("end", {})}
            settings = Settings.of(model=model.settings(retries=0), end=end, **strategies)
            made = Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger())
            story = await (await stack.enter_async_context(made)).session("s1", cast=CAST, present=HERE)
            await story.move("dora", "cellar")
            return story, model

        yield begin


async def say(story: Session, text: str, speaker: str = "alice", **given: Any) -> Settlement:
    return await (await story.say(speaker, text, **given)).settled()


def report(settled: Settlement, kind: str = "detector") -> Answer:
    (found,) = [each for each in settled.plan.answers if each.by.startswith(kind)]
    return found


class Shouts:
    """A model of our own, without a server: it names the whole cast, whatever it is asked."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        everybody = dict.fromkeys(["alice", "bob", "charlie", "dora", "nomad", "narrator"], 1)
        return ModelReply(text=json.dumps({"participants": everybody}))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)


class Judges(LanguageModelDetector):
    """It leaves out how long the calls took, which differs each time."""

    async def detect(self, moment: Moment) -> Presence:
        return (await super().detect(moment)).model_copy(update={"usage": None})


class TestNamesEverybody(DetectorSuite):
    """The contract holds whatever a model says: this one names the whole cast for every message."""

    seconds = 30.0

    def make_detector(self) -> LanguageModelDetector:
        strategies = Strategies()
        strategies.register("model", "shouts", Shouts)
        settings = Settings.of(model={"model": "loud", "name": "shouts", "budget_per_turn": {}}, end=PATIENT)
        return Judges(settings=settings, resources=Resources(), strategies=strategies)


async def test_the_model_says_how_likely_each_perceives_the_message(begin: Begin) -> None:
    story, _ = await begin([names(bob=0.9, charlie=0.1)], detector="language_model")
    settled = await say(story, "Hello.")
    assert list(settled.participants) == ["alice", "bob"]
    assert settled.plan.presence["charlie"].probability == 0.1
    assert settled.participants["bob"].evidence[0] == "language model: seen"
    found = report(settled)
    assert found.usage is not None
    assert f"{found.version}".startswith("presence 1 (")


async def test_whom_the_rules_shut_out_no_model_lets_in(begin: Begin) -> None:
    everybody = names(alice=1, bob=1, charlie=1, dora=1)
    story, _ = await begin(lambda _: everybody, detector="language_model")
    whispered = await say(story, '*whispers to Bob* "Trust nobody."')
    assert list(whispered.participants) == ["alice", "bob"]
    notes = "\n".join(report(whispered).notes)
    assert "named 'charlie', who cannot perceive it; the rules' word stands" in notes
    assert "named 'dora', who cannot perceive it; the rules' word stands" in notes
    assert list((await say(story, "[Trust nobody.]")).participants) == ["alice"]
    assert list((await say(story, "Trust nobody.", context="dm")).participants) == ["alice"]


@pytest.mark.parametrize("said", ["no", ScriptedAnswer(status=500), {"participants": []}, names(Zoltan=1)])
async def test_the_rules_answer_where_the_model_cannot(begin: Begin, said: Any) -> None:
    story, _ = await begin(lambda _: said, detector="language_model")
    settled = await say(story, "Hello.")
    assert list(settled.participants) == HERE
    assert report(settled).notes[0].startswith("answered by rules")


# ── hybrid ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_hybrid_asks_no_model_where_the_rules_are_sure(begin: Begin) -> None:
    story, model = await begin([], detector="hybrid", world_agent="hybrid")
    settled = await say(story, "Hello.")
    assert list(settled.participants) == HERE
    assert model.requests == []
    for kind in ("detector", "world_agent"):
        assert report(settled, kind).notes == ("sure of everybody (threshold 0.85), so no model was asked",)


async def test_hybrid_asks_only_about_whom_the_rules_are_unsure_of(begin: Begin) -> None:
    story, model = await begin(lambda _: names(bob=0.05, charlie=0.95), detector={"name": "hybrid", "threshold": 0.93})
    await say(story, "Hello.", speaker="charlie")
    model.requests.clear()
    settled = await say(story, "Well.")
    believed = settled.plan.presence
    assert (believed["bob"].probability, believed["charlie"].probability) == (0.05, 0.95)
    assert report(settled).notes[0] == "unsure of bob (0.90) (threshold 0.93), so the model was asked"


async def test_the_agent_hybrid_asks_where_the_detector_is_unsure(begin: Begin) -> None:
    answer = {"actualParticipants": ["alice", "bob"]}
    agent = {"name": "hybrid", "threshold": 0.99}
    story, model = await begin([answer], detector="rules", world_agent=agent)
    settled = await say(story, "Hello.")
    assert list(settled.participants) == ["alice", "bob"]
    assert report(settled, "world_agent").notes[0].startswith("unsure of bob (0.90), charlie (0.90)")
    await say(story, "Hello.", audience=["bob"])
    assert len(model.requests) == 1


async def test_hybrid_takes_any_two_detectors(begin: Begin) -> None:
    two = {"name": "hybrid", "detectors": ["presence", "everyone"], "threshold": 0.95}
    story, model = await begin([], detector=two)
    settled = await say(story, "Hello.")
    assert list(settled.participants) == HERE
    assert model.requests == []


class Watched:
    """Notes on which threads it is asked."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def on_thread(self, moment: Moment) -> bool:
        return moment.message.content == "Hello."

    def detect(self, moment: Moment) -> Presence:
        self.threads.append(threading.get_ident())
        return Presence.only("alice")


async def test_hybrid_asks_on_a_thread_what_asks_for_one() -> None:
    watched = Watched()
    given: dict[str, Any] = {"settings": Settings.of(), "resources": Resources(), "strategies": Strategies()}
    hybrid = HybridDetector(detectors=[watched, watched], **given)
    for text in ("Hello.", "Good night."):
        await hybrid.detect(moment(text))
    first, second = watched.threads
    assert first != second == threading.get_ident()


async def test_hybrid_of_three_is_refused() -> None:
    detector = {"name": "hybrid", "detectors": ["rules"]}
    with pytest.raises(SettingsError, match="hybrid: give two detectors, the first to ask and the other, not 1"):
        async with Earwitness.open(settings=Settings.of(detector=detector), store=MemoryStore(), ledger=MemoryLedger()):
            pass


# ── vote and end.unsure ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_model_may_vote(begin: Begin) -> None:
    voters = {"rules": {"weight": 1}, "language_model": {"weight": 3}}
    story, model = await begin([names(bob=0.9, charlie=0)], detector={"name": "vote", "voters": voters})
    settled = await say(story, "Hello.")
    assert list(settled.participants) == ["alice", "bob"]
    assert len(model.requests) == 1
    assert report(settled).usage is not None


def test_a_model_cannot_vote_without_settings() -> None:
    with pytest.raises(SettingsError, match="language_model can be asked only where the settings"):
        Strategies().make("detector", StrategySpec(name="vote", settings={"voters": {"language_model": {}}}))


async def test_whoever_is_unsure_is_decided_by_a_model_if_end_says_ask(begin: Begin) -> None:
    end = {"threshold": 0.95, "unsure": {"policy": "ask", "least": 0.5}}
    story, model = await begin([names(bob=1, charlie=0.2, dora=1)], detector="presence", end=end)
    settled = await say(story, "Hello.")
    assert list(settled.participants) == ["alice", "bob"]
    assert len(model.requests) == 1
    assert report(settled, "plugin:language_model").usage is not None


async def test_without_ask_no_model_is_asked_about_the_unsure(begin: Begin) -> None:
    story, model = await begin([], detector="presence", end={"threshold": 0.95})
    assert list((await say(story, "Hello.")).participants) == ["alice"]
    assert model.requests == []


async def test_whom_the_host_left_out_of_present_it_does_not_count_in(begin: Begin) -> None:
    story, _ = await begin(names(alice=1, bob=1, charlie=1, fay=1), detector="language_model")
    await story.join("fay")
    assert "fay" not in (await say(story, "Good evening to you all.")).participants
    await story.enter("fay")
    assert "fay" in (await say(story, "Good evening to you all, once more.")).participants
