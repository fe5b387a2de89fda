"""`story.consolidate()`: a character's old, long or repetitive memories become summaries that rest on them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from typing import Any

from earwitness import Derivation, Earwitness, Memory, Record, Session
from earwitness.backstage.roles import PERMISSIONS, permit
from earwitness.end.derivations import OUR_METADATA
from earwitness.errors import EarwitnessError, PluginError, unknown
from earwitness.records.memory import STRENGTH
from earwitness.records.memory_types import MetaValue
from earwitness.records.prose import counted, gist
from earwitness.records.state import day_text
from earwitness.time_limit import contained, reason
from earwitness_plugins.review import Proposal, Review, Reviewed, ReviewWrite

from .choice import MADE_BY, Chosen, consolidatable, due, remembered, together
from .protocol import Consolidation, ConsolidationTask, Consolidator
from .settings import ConsolidationPolicy, ConsolidationSettings

KIND = "consolidation"
SUMMARY = "summary"
EVERYTHING_OLDER = ConsolidationPolicy(count=1)
"""What somebody who asks for it wants summed up: all but the newest."""


class ConsolidationStep(Record):
    """Memories of one character that go together, and what became of them."""

    character: str
    """Id of the character."""
    memories: tuple[Memory, ...]
    """The memories, oldest first."""
    days: tuple[float, float]
    """The first and the last game day that they are of."""
    reviewed: Reviewed | None = None
    """The proposed summary, waiting or written; `None` in a dry run, and if it failed."""
    failure: str | None = None
    """Why there is no summary. The memories stay as they are."""

    def __str__(self) -> str:
        first, last = map(day_text, self.days)
        when = f"day {first}" if first == last else f"days {first} to {last}"
        head = f"{self.character}: {counted(len(self.memories), 'memory', 'memories')}, {when}"
        if self.failure:
            return f"{head}: failed: {self.failure}"
        if self.reviewed is None:
            return f"{head}: {'; '.join(gist(each.text) for each in self.memories[:3])}"
        (summary,) = self.reviewed.proposal.memories
        return f"{head}: {self.reviewed.status} ({self.reviewed.id}): {gist(summary.content)}"


class StoryConsolidation:
    """Sums up memories of a story. `await story.consolidate()`."""

    def __init__(self, story: Session, ew: Earwitness, role: str = "author") -> None:
        self._story, self._ew, self._role = story, ew, role
        self.settings: ConsolidationSettings = ew.settings.table(ConsolidationSettings)
        """The table `[consolidation]`."""
        self._made: Consolidator | None = None

    def acting(self, *, role: str) -> StoryConsolidation:
        """The same on behalf of somebody, whose permissions are those of backstage. Raises `UnknownName`."""
        if role not in PERMISSIONS:
            raise unknown("role", role, PERMISSIONS)
        return StoryConsolidation(self._story, self._ew, role)

    async def __call__(
        self,
        character: str | None = None,
        *,
        policy: ConsolidationPolicy | None = None,
        write: ReviewWrite | None = None,
        keep: int | None = None,
        dry_run: bool = False,
        limit: int | None = None,
    ) -> tuple[ConsolidationStep, ...]:
        """Sum up the memories of one character, or of everybody: all but the newest `keep`, or what a `policy` wants.

        By `write`, summaries wait in the review queue, or are written. What waits there, was rejected, or was taken
        back, is not proposed again. A dry run asks no consolidator and writes nothing. `limit` is the most
        summaries. Raises `UnknownName`, also for a consolidator that nobody has, `NotPermitted`, and if `strict`, what
        a consolidator raises.
        """
        permit(self._role, "read" if dry_run else "edit", "consolidate memories")
        self._ew.strategies.factory("consolidator", self.settings.strategy.name)
        writes = self.settings.write if write is None else write
        members = self._story.cast.members if character is None else (self._story.cast.named(character),)
        if writes == "off" and not dry_run:
            return ()
        steps: list[ConsolidationStep] = []
        for member in members:
            for chosen in await self._chosen(member.id, policy or EVERYTHING_OLDER, keep):
                if limit is not None and len(steps) >= limit:
                    return tuple(steps)
                step = ConsolidationStep(character=member.id, memories=chosen.memories, days=chosen.days)
                steps.append(step if dry_run else await self._summed_up(step, chosen, writes))
        return tuple(steps)

    async def _chosen(self, character: str, policy: ConsolidationPolicy, keep: int | None) -> Sequence[Chosen]:
        backstage, settings = self._story.backstage(), self.settings
        held = (await backstage.inspect(character)).memories
        by_hand = {each.id for each in await backstage.hand_written()}
        found = consolidatable(held, self._story.cast, by_hand | await self._spoken_for())
        kept, day = settings.keep if keep is None else keep, self._story.state.game_day
        wanted = await asyncio.to_thread(due, found, policy, day, kept)
        return list(together(wanted, settings.least, settings.most))

    async def _spoken_for(self) -> set[str]:
        """Ids of the memories about which something waits, was rejected, or was approved and taken back since."""
        found = await self._review.proposals(kind=KIND)
        kept = await self._story.backstage().grounds(*(id for each in found for id in each.proposal.rests_on))
        asked = [each.proposal.rests_on for each in found if each.status != "fallen"]
        return {id for ids in asked if all(kept.get(each) for each in ids) for id in ids}

    @property
    def _review(self) -> Review:
        review: Review = self._story.review
        return review

    async def _summed_up(self, step: ConsolidationStep, chosen: Chosen, write: ReviewWrite) -> ConsolidationStep:
        try:
            made = await self._asked(self._task(step.character, chosen))
            if made.usage is not None:
                await self._story.backstage().note_usage(self._by, made.usage)
            if not made.text:
                return step.model_copy(update={"failure": "nothing in them says anything"})
            proposal = self._proposal(step, chosen, made)
            return step.model_copy(update={"reviewed": await self._review.submit(proposal, write)})
        except EarwitnessError as error:
            if self._ew.settings.strict:
                raise
            return step.model_copy(update={"failure": str(error)})

    def _task(self, character: str, chosen: Chosen) -> ConsolidationTask:
        cast, told = self._story.cast, remembered(chosen, self._story.cast)
        people = tuple((cast.name_of(each.id), *each.aliases) for each in cast)
        most = min(self.settings.characters, max(100, sum(len(each.line) for each in told)))
        return ConsolidationTask(
            session=self._story.id, owner=cast.name_of(character), remembered=told, people=people, most=most
        )

    @property
    def _by(self) -> str:
        return f"consolidator:{self.settings.strategy.name}"

    async def _asked(self, task: ConsolidationTask) -> Consolidation:
        """The summary. Raises `PluginError` for whatever a consolidator raises or answers otherwise."""
        try:
            self._made = self._made or await consolidator(self._ew)
            found: Any = self._made.consolidate(task)
            answer = await found if inspect.isawaitable(found) else found
        except EarwitnessError:
            raise
        except BaseException as error:
            raise PluginError(f"{self._by} failed: {reason(contained(error))}") from error
        if not isinstance(answer, Consolidation):
            raise PluginError(f"{self._by} answered {type(answer).__name__}, expected Consolidation")
        if len(answer.text) > 2 * task.most:
            raise PluginError(f"{self._by} answered {len(answer.text):,} characters, and had room for {task.most:,}")
        return answer

    def _proposal(self, step: ConsolidationStep, chosen: Chosen, made: Consolidation) -> Proposal:
        memory = Derivation(
            content=made.text,
            owner=step.character,
            type=SUMMARY,
            metadata=_metadata(chosen) | {MADE_BY: self._by},
            rests_on=chosen.ids,
            replaces=True,
            rule=self._by,
            how=next((how for how in STRENGTH if how == chosen.shared.get("interactionType")), "direct"),
            shared_from=str(teller) if isinstance(teller := chosen.shared.get("sharedFrom"), str) else None,
        )
        instead = "\n".join(f"- {gist(each.text)}" for each in chosen.memories)
        return Proposal(
            kind=KIND,
            text=f"{made.text}\n\nin place of {counted(len(chosen.ids), 'memory', 'memories')}:\n{instead}"[:20_000],
            about=(step.character,),
            rests_on=chosen.ids,
            memories=(memory,),
            by=self._by,
            version=made.version,
            usage=made.usage,
            notes=made.notes,
            identity=(step.character, *chosen.ids),
        )


def _metadata(chosen: Chosen) -> dict[str, MetaValue]:
    """What all of them have in common, as far as Earwitness does not set it itself."""
    return {key: value for key, value in chosen.shared.items() if key not in OUR_METADATA}


async def consolidator(ew: Earwitness) -> Consolidator:
    """The consolidator of the settings, open. Raises `SettingsError`, `StrategyError`."""
    made: Consolidator = await ew.strategy("consolidator", ew.settings.table(ConsolidationSettings).strategy)
    return made
