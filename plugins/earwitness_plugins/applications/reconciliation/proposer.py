"""`story.reconciliation.propose("vampire-au")`: a model proposes what becomes of a bubble; nothing is kept by that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from earwitness import Earwitness, Record, Session, Usage
from earwitness.errors import EarwitnessError, NotPermitted, UnknownName
from earwitness.records.prose import counted, gist
from earwitness_relationships.canon.records import KeepAs, KeptMemory
from earwitness_relationships.personas.lived import is_played

from ...models.accounts import Account
from ...models.client import ModelClient
from ...models.host_account import host_account
from ...models.prompts import fenced
from ...models.scene import noted
from ...review import Proposal, Reviewed, ReviewWrite
from .answers import OpenMemory, ReconciliationProposal, WantedKeeping, believed, material

BY = "reconciler:language_model"
KIND = "reconciliation"
MOST_ASKED = 40
"""So many memories of a character a model is asked about at once."""
MOST_KNOWN = 40
"""So many memories of what is known outside it is shown, the newest."""


class LeftInBubble(Record):
    """A memory for which nothing is proposed."""

    memory_id: str
    """Its id in the bubble."""
    character: str
    """Id of the character who has it."""
    text: str
    """What it says."""
    why: str
    """Why it stays in the bubble."""


class ProposedReconciliation(Record):
    """What is proposed for a bubble."""

    bubble: str
    """The bubble's name."""
    proposals: tuple[Reviewed, ...] = ()
    """What should be kept, one for each memory; those that were proposed before, too."""
    left: tuple[LeftInBubble, ...] = ()
    """What should stay in the bubble."""
    usages: tuple[Usage, ...] = ()
    """What the model cost, one for each character."""
    notes: tuple[str, ...] = ()
    """What was left out of its answers."""
    failures: tuple[str, ...] = ()
    """For whom it could not be asked, and why: of them nothing is proposed."""

    def __str__(self) -> str:
        head = f"{self.bubble}: {counted(len(self.proposals), 'proposal')}, {len(self.left)} left in the bubble"
        left = [f"  stays: {each.character}: {gist(each.text)} ({each.why})" for each in self.left]
        return "\n".join([head, *(f"  {each}" for each in self.proposals), *left])


class BubbleReconciliation:
    """Asks a model what becomes of a bubble that has ended. What it says waits in `story.review`."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story, self._ew = story, ew

    async def propose(
        self, bubble: str, *, write: ReviewWrite = "review", role: str = "author", timeout: float = 30.0
    ) -> ProposedReconciliation:
        """Ask the model of `[model]` once for each character, about the memories that nobody was asked about before.

        Each is shown by itself: what it says rests on what this character knows. `role` is who asks: only an `owner` is
        offered global canon. `write` as in settings; with `off` nobody is asked. What was learned in private never
        becomes global that way. Raises `UnknownName`, `NotPermitted`, `InputError` for a bubble that is open, gone or
        discarded, and `SettingsError` without `[model]`.
        """
        open_to_question = await self._open(bubble, role)
        if write == "off":
            return ProposedReconciliation(bubble=bubble)
        client = ModelClient.shared(self._ew.settings, self._ew.resources, self._ew.strategies)
        found = _ProposedSoFar(bubble)
        for character, memories in open_to_question.items():
            fresh = [each for each in memories if not await self._known(bubble, each.any.memory_id, found)]
            if fresh:
                await self._asked(client, character, fresh[:MOST_ASKED], found, write, timeout)
            found.leave(fresh[MOST_ASKED:], f"only {MOST_ASKED} are asked about at once: propose again")
        return found.result()

    async def _open(self, bubble: str, role: str) -> dict[str, list[OpenMemory]]:
        """Character id → their memories that could be kept, by dry runs of what `reconcile` would do."""
        ways: dict[str, dict[KeepAs, KeptMemory]] = defaultdict(dict)
        targets: tuple[KeepAs, ...] = ("personal", "global")
        every = await self._memories(bubble, role)
        for keep_as in targets:
            try:
                planned = await self._story.canon.acting(role=role).reconcile(bubble, keep_as=keep_as, only=every)
            except NotPermitted:
                if keep_as == "personal":
                    raise
                continue
            for each in planned.memories:
                if each.action not in {"skip", "withhold"}:
                    ways[each.memory_id].setdefault(keep_as, each)
        found: dict[str, list[OpenMemory]] = defaultdict(list)
        for of_one in ways.values():
            memory = OpenMemory(of_one)
            found[memory.any.character].append(memory)
        return found

    async def _memories(self, bubble: str, role: str) -> list[str] | None:
        """Ids of the memories of a bubble that was kept in part; `None` = all, of one that was not."""
        canon = self._story.canon.acting(role=role)
        link = next((each for each in await canon.bubbles() if each.name == bubble), None)
        if link is None or link.status != "kept":
            return None
        found: list[str] = []
        for each in self._story.cast:
            held = () if is_played(each) else (await canon.memories(each.id)).get(bubble, ())
            ids = [memory.id for memory in held if not memory.permanent]
            found += [id for id in ids if await self._is_new(bubble, id, role)]
        return found

    async def _is_new(self, bubble: str, memory: str, role: str) -> bool:
        """Whether a memory of a bubble was not there when it branched off its story: that one is not reconciled."""
        try:
            await self._story.canon.acting(role=role).reconcile(bubble, keep_as="personal", only=[memory])
        except UnknownName:
            return False
        return True

    async def _known(self, bubble: str, memory: str, found: _ProposedSoFar) -> bool:
        """Whether something was proposed for a memory before."""
        before = await self._story.review.known(_proposal(self._story, bubble, memory))
        if before is not None:
            found.proposals.append(before)
        return before is not None

    async def _asked(
        self,
        client: ModelClient,
        character: str,
        memories: Sequence[OpenMemory],
        found: _ProposedSoFar,
        write: ReviewWrite,
        timeout: float,
    ) -> None:
        labels = {f"m{number}": each for number, each in enumerate(memories, 1)}
        account = await host_account(client, self._story, BY)
        there = await self._there(character, memories)
        try:
            answer = await self._answer(client, account, character, labels, there, found.bubble, timeout)
        except EarwitnessError as failure:
            found.failures.append(f"{BY} for {character}: {failure}")
            found.leave(memories, "no model could be asked")
        else:
            wanted, stays = believed(answer.memories, labels, there, account.notes)
            for label, why in stays.items():
                found.leave([labels[label]], why)
            version = client.prompt(KIND).label
            for each in wanted:
                proposal = _proposal(self._story, found.bubble, each.kept.memory_id, each, version)
                done = await self._story.review.submit(proposal, write)
                found.proposals += [done] if done is not None else []
        found.notes += account.notes
        if account.usage is not None:
            found.usages.append(account.usage)
            await self._story.backstage().note_usage(BY, account.usage)

    async def _answer(
        self,
        client: ModelClient,
        account: Account,
        character: str,
        labels: Mapping[str, OpenMemory],
        there: Mapping[str, str],
        bubble: str,
        timeout: float,
    ) -> ReconciliationProposal:
        prompt = client.prompt(KIND)
        messages = prompt.messages(material=fenced(material(character, bubble, labels, there)))
        return await client.structured(account, messages, ReconciliationProposal, prompt=prompt, limit=timeout)

    async def _there(self, character: str, memories: Sequence[OpenMemory]) -> dict[str, str]:
        """Label → what is known in the containers that these may go to."""
        if character not in self._story.cast:
            return {}
        names = {way.container for each in memories for way in each.ways.values()}
        canon = await self._story.canon.memories(character)
        texts = [each.text for name, held in canon.items() if name in names for each in held]
        return {f"c{number}": text for number, text in enumerate(texts[-MOST_KNOWN:], 1)}


class _ProposedSoFar:
    """What is found while characters are asked about one after the other."""

    def __init__(self, bubble: str) -> None:
        self.bubble = bubble
        self.proposals: list[Reviewed] = []
        self.left: list[LeftInBubble] = []
        self.usages: list[Usage] = []
        self.notes: list[str] = []
        self.failures: list[str] = []

    def leave(self, memories: Sequence[OpenMemory], why: str) -> None:
        """These stay in the bubble."""
        for each in memories:
            kept = each.any
            self.left.append(LeftInBubble(memory_id=kept.memory_id, character=kept.character, text=kept.text, why=why))

    def result(self) -> ProposedReconciliation:
        """All of it."""
        return ProposedReconciliation(
            bubble=self.bubble,
            proposals=tuple(self.proposals),
            left=tuple(self.left),
            usages=tuple(self.usages),
            notes=noted(self.notes),
            failures=tuple(self.failures),
        )


def _proposal(
    story: Session, bubble: str, memory: str, wanted: WantedKeeping | None = None, version: str | None = None
) -> Proposal:
    """A proposal about one memory of a bubble; without what is wanted, one to look for the same."""
    given: dict[str, Any] = {"kind": KIND, "by": BY, "identity": (bubble, memory)}
    if wanted is None:
        return Proposal(text="", **given)
    kept = wanted.kept
    payload: dict[str, JsonValue] = {
        "bubble": bubble,
        "memory": memory,
        "keep_as": wanted.keep_as,
        "mode": wanted.mode,
        "text": wanted.text,
    }
    about = (kept.character,) if kept.character in story.cast else ()
    notes = tuple(filter(None, [wanted.why, kept.note]))
    return Proposal(text=_told(bubble, wanted), about=about, payload=payload, version=version, notes=notes, **given)


def _told(bubble: str, wanted: WantedKeeping) -> str:
    """What a person judges it by."""
    kept = wanted.kept
    lines = [f"Of {bubble}, keep as {wanted.keep_as} canon of {kept.character}: “{wanted.text or kept.text}”"]
    lines += [f"In the bubble: “{kept.text}”"] if wanted.text else []
    lines += [f"Contradicts: “{each}”" for each in wanted.conflicts]
    others = counted(len(kept.versions), "other version")
    what = "takes their place" if wanted.mode == "replace" else "stands beside"
    lines += [f"{others} there; it {what}."] if kept.versions else []
    return "\n".join(lines)[:20_000]
