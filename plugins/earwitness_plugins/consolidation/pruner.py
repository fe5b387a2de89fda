"""`story.prune()`: what a character is to forget. It leaves recall, and stays in the archive."""

from __future__ import annotations

from earwitness import Earwitness, Memory, Record, Session
from earwitness.backstage.roles import PERMISSIONS, permit
from earwitness.errors import InputError, unknown
from earwitness.records.prose import counted, gist
from earwitness.validation.records import checked
from earwitness_plugins.review import Proposal, Review, Reviewed, ReviewWrite

from .choice import consolidatable
from .settings import PruningSettings

KIND = "pruning"


class Pruned(Record):
    """What a character is to forget, and what became of that."""

    character: str
    """Id of the character."""
    memories: tuple[Memory, ...]
    """The memories, oldest first."""
    reviewed: Reviewed | None = None
    """The proposal, waiting or done; `None` in a dry run."""

    def __str__(self) -> str:
        became = f" ({self.reviewed.status}, {self.reviewed.id})" if self.reviewed else ""
        lines = [f"  {each.id}  {gist(each.text)}" for each in self.memories]
        return "\n".join([f"{self.character}: {counted(len(self.memories), 'memory', 'memories')}{became}", *lines])


class StoryPruning:
    """Forgets memories of a story. `await story.prune(age=30)`."""

    def __init__(self, story: Session, ew: Earwitness, role: str = "author") -> None:
        self._story, self._ew, self._role = story, ew, role
        self.settings: PruningSettings = ew.settings.table(PruningSettings)
        """The table `[pruning]`."""

    def acting(self, *, role: str) -> StoryPruning:
        """The same on behalf of somebody, whose permissions are those of backstage. Raises `UnknownName`."""
        if role not in PERMISSIONS:
            raise unknown("role", role, PERMISSIONS)
        return StoryPruning(self._story, self._ew, role)

    async def __call__(
        self,
        character: str | None = None,
        *,
        age: float | None = None,
        count: int | None = None,
        write: ReviewWrite | None = None,
        dry_run: bool = False,
    ) -> tuple[Pruned, ...]:
        """Take old memories of one character, or of everybody, out of recall; `story.restore` puts them back.

        Those that were learned `age` game days ago or longer, and the oldest beyond `count`; without either, as the
        table says. What is from before the story, written by hand, or derived, such as facts, stays. A dry run writes
        nothing. Raises `UnknownName`, `NotPermitted`, and `InputError` without any limit or for one below its least.
        """
        permit(self._role, "read" if dry_run else "edit", "forget memories")
        checked(PruningSettings, age=age, count=count)
        if age is None and count is None:
            age, count = self.settings.age, self.settings.count
        if age is None and count is None:
            raise InputError(
                "say what is to be forgotten: age=… (--age), in game days, or count=… (--count), the number to keep."
            )
        writes = self.settings.write if write is None else write
        members = self._story.cast.members if character is None else (self._story.cast.named(character),)
        found = [Pruned(character=each.id, memories=await self._old(each.id, age, count)) for each in members]
        found = [each for each in found if each.memories]
        if dry_run or writes == "off":
            return tuple(found) if dry_run else ()
        return tuple([each.model_copy(update={"reviewed": await self._submitted(each, writes)}) for each in found])

    async def _old(self, character: str, age: float | None, count: int | None) -> tuple[Memory, ...]:
        backstage, day = self._story.backstage(), self._story.state.game_day
        held = (await backstage.inspect(character)).memories
        by_hand = {each.id for each in await backstage.hand_written()}
        found = consolidatable(held, self._story.cast, by_hand | await self._spoken_for())
        beyond = {each.id for each in found[: max(0, len(found) - count)]} if count is not None else set()
        old = {each.id for each in found if age is not None and day - (each.learned_day or 0) >= age}
        return tuple(each for each in found if each.id in beyond | old)

    async def _spoken_for(self) -> set[str]:
        """Ids of the memories about which something waits, or that are to be kept."""
        asked = await self._review.proposals(kind=KIND)
        return {id for each in asked if each.status in {"waiting", "rejected"} for id in each.proposal.archives}

    @property
    def _review(self) -> Review:
        review: Review = self._story.review
        return review

    async def _submitted(self, pruned: Pruned, write: ReviewWrite) -> Reviewed | None:
        ids = tuple(each.id for each in pruned.memories)
        lines = "\n".join(f"- {gist(each.text)}" for each in pruned.memories)
        proposal = Proposal(
            kind=KIND,
            text=f"{pruned.character} forgets {counted(len(ids), 'memory', 'memories')}:\n{lines}"[:20_000],
            about=(pruned.character,),
            rests_on=ids,
            archives=ids,
            by="pruning",
            identity=(pruned.character, *ids),
        )
        return await self._review.submit(proposal, write)
