"""`story.close_conversation(channel)`: rules with `when: conversation` tell one summary of what was said there.

The teller notes the summary, and tells it. Whoever is told tells it on when it arrives, by the rules and relations of
that day; where a listener may be told of a part of it alone, the teller notes and tells that part. Calling it again
says nothing twice: it goes on with what was broken off, and tells anew what was edited or retracted in part since, as
it now reads. That happens by itself after an edit or a retraction, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from earwitness import Channel, Earwitness, Outcome, Record, Session, SettledMessage
from earwitness.errors import unknown
from earwitness.records.plan import Answer, Delivery

from ..compiled.adjacency import Adjacency
from ..model import RelationshipsModel
from ..pantheons.desk import model_of
from ..settings import RelationshipsSettings
from .closings import Closing, digest, going_on, revised, to_close
from .listeners import Listeners, SummaryOffer
from .onward import TellingsOf, is_on_its_way, noted, tellings_noted, told_first, told_next, waiting
from .personalities import Personalities
from .summaries import Received, Summaries
from .talks import Held, HeldMemory, Talk, talks_of, those_who_have_it

CONVERSATIONS = "conversations"
"""The name under which it is noted how far conversations were closed."""
NOTE = "summary"
"""The type of the memory."""


class ClosedConversation(Record):
    """What closing a conversation told."""

    channel: str | None
    """Id of the channel; `None` = the unnamed one."""
    messages: tuple[str, ...] = ()
    """Keys of the messages that it told of: those since it was last closed, and those that it told anew."""
    told: dict[str, str] = {}
    """Character id → the summary that was told to them."""


class Conversations:
    """Closes the conversations of a story."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        """Raises `InputError` without the settings table `[relationships]`."""
        self._story, self._ew = story, ew
        self._model: RelationshipsModel = model_of(ew)

    async def __call__(self, channel: Channel | str | None = None) -> ClosedConversation:
        """Tell what was said in a channel since it was last closed, to whom rules name.

        A channel is one by its context, id and guild, and a direct message by its persona, too. An id alone (`None` =
        the unnamed channel) will do as long as it is that of one channel. Raises `InputError` if there is something to
        tell of several, `UnknownName` for an id that the story does not know, and `StorageError`.
        """
        await self._model.open()
        await self.go_on()
        id = channel.channel_id if isinstance(channel, Channel) else channel
        told, said = ClosedConversation(channel=id), await self._said(id)
        if not said:
            await self._refuse_unknown(id)
        for last, closing in to_close(channel, said, self._noted()):
            told = await self._close(closing, last, told)
        return told

    async def _refuse_unknown(self, id: str | None) -> None:
        """Raise `UnknownName` for a channel in which nothing was said, unless it stands in the story, or has no id."""
        standing = {each.channel_id for each in self._story.state.channels.values()}
        if id is not None and id not in standing:
            said = {each.message.channel.channel_id for each in await self._story.messages(retracted=True)}
            raise unknown("channel", id, sorted(each for each in said | standing if each is not None))

    async def tell_anew(self, target: str) -> None:
        """Tell anew what rested on a message that was edited or retracted, or of which somebody's own copy was. Raises
        `StorageError`."""
        noted = self._noted()
        if await self._is_later(target, [str(each["last"]) for each in noted]):
            return
        await self._model.open()
        lost = () if await self._story.has(target) else await self._copied_from(target)
        for id in dict.fromkeys(each.get("channel") for each in noted):
            for last, closing in revised(await self._said(id), noted, lost):
                if lost:  # no text says that it is to be told anew, should this break off
                    await self._note(closing, last, told=False)
                await self._close(closing, last, ClosedConversation(channel=id))

    async def _copied_from(self, memory: str) -> list[str]:
        """Keys of the messages of which a memory was somebody's own copy."""
        found = await self._ew.engine.ledger.deliveries(self._story.id, memory_ids=[memory])
        return [each.source for each in found if _is_own(each)]

    async def _is_later(self, target: str, closed: Sequence[str]) -> bool:
        """Whether a message was said after everything that was closed, which spares reading the story."""
        if not await self._story.has(target):
            return False
        ends = [(await self._story.outcome(each)).sequence for each in closed if await self._story.has(each)]
        return (await self._story.outcome(target)).sequence > max(ends, default=-1)

    def _noted(self) -> list[Mapping[str, Any]]:
        return [each for each in self._story.state.facts_of(CONVERSATIONS) if isinstance(each, dict)]

    async def _said(self, id: str | None) -> Sequence[SettledMessage]:
        found = await self._story.messages(channel_id=id, retracted=True)
        return [each.as_tellable() for each in found if each.message.channel.channel_id == id]

    async def _close(self, closing: Closing, last: str, before: ClosedConversation) -> ClosedConversation:
        """Note which messages are told of, tell them, and note that. Whatever breaks off is gone on with."""
        day = self._day_of(closing)
        if closing.is_new:
            await self._note(closing, last, told=False, key=f"closing-{last}")
        adjacency, people = await self._rules_now()
        known = await self.as_known(closing.messages)
        tellings, most = told_first(adjacency, known, self._story.state, people, day)
        told = await self._tell(talks_of(tellings, most), closing, people, {})
        today = self._story.state.game_day
        onward = noted(tellings, today) if is_on_its_way(tellings, today) else None
        await self._note(closing, last, told=True, onward=onward)
        texts = {who: f"{before.told[who]}\n{text}" if who in before.told else text for who, text in told.items()}
        messages = (*before.messages, *(each.key for each in closing.messages))
        return before.model_copy(update={"messages": messages, "told": {**before.told, **texts}})

    async def _rules_now(self) -> tuple[Adjacency, Personalities]:
        picture = await self._model.picture(self._story.id, self._story.state)
        return self._model.adjacency(picture), Personalities(self._story.cast)

    async def _note(
        self,
        closing: Closing,
        last: str,
        *,
        told: bool,
        key: str | None = None,
        onward: Mapping[str, Any] | None = None,
    ) -> None:
        """Note that a closing is begun, or told, and what of it is told on later."""
        fact = closing.fact(last, self._day_of(closing), told=told, onward=onward)
        await self._story.change(facts={CONVERSATIONS: [fact]}, key=key)

    def _day_of(self, closing: Closing) -> float:
        return self._story.state.game_day if closing.day is None else closing.day

    async def as_known(self, messages: Sequence[SettledMessage]) -> list[SettledMessage]:
        """The messages, without those who have lost their own copies: they have nothing to tell."""
        found = await self._ew.engine.ledger.deliveries(self._story.id, sources=[each.key for each in messages])
        own = [each for each in found if _is_own(each)]
        kept = {(each.source, each.owner) for each in own if each.is_kept}
        lost = {(each.source, each.owner) for each in own} - kept
        return (
            [without(each, {who for key, who in lost if key == each.key}) for each in messages] if lost else [*messages]
        )

    # ── later hops ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def go_on(self) -> None:
        """Let whoever has been told by today tell it on, each hop by the rules of its day. Raises `StorageError`."""
        facts = self._noted()
        through = waiting(facts, self._story.state.game_day)
        ids = dict.fromkeys(each.get("channel") for each in facts if each["last"] in through)
        if ids:
            await self._model.open()
        for id in ids:
            for last, closing in going_on(await self._said(id), facts, through):
                await self._go_on(closing, last, through[last])

    async def _go_on(self, closing: Closing, last: str, through: float) -> None:
        adjacency, people = await self._rules_now()
        by_key, today = {each.key: each for each in closing.messages}, self._story.state.game_day
        before, held = tellings_noted(self._noted(), last), Held()
        await self._tell(talks_of(before, {}, is_told=True), closing, people, held)
        so_far = {key: those_who_have_it(of, key, held, people, today) for key, of in before.items()}
        fresh: TellingsOf = {key: [] for key in so_far}
        while days := {each.day for of in so_far.values() for each in of if through < each.day <= today}:
            through, following, most = min(days), TellingsOf(), dict[str, int]()
            for key, of in so_far.items():
                following[key], limits = told_next(adjacency, by_key[key], self._story.state, people, of, through)
                most |= limits
            await self._tell(talks_of(following, most), closing, people, held)
            for key, of in following.items():
                fresh[key] += of
                so_far[key] += those_who_have_it(of, key, held, people, today)
        await self._note(closing, last, told=True, onward=noted(fresh, today, more=True))

    # ── telling ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _tell(self, talks: Sequence[Talk], closing: Closing, people: Personalities, held: Held) -> dict[str, str]:
        """Tell what was not told before; `held` grows by what listeners have then. Returns what they are told now."""
        writing = _WritingStory(self._story, self._ew, people)
        try:
            return await Summaries(writing, people, closing.messages, self._story.state.game_day, held).tell(talks)
        finally:
            await writing.note_costs()


class _WritingStory:
    """Writes what tellers note, and what listeners are told, into the story."""

    def __init__(self, story: Session, ew: Earwitness, people: Personalities) -> None:
        self._story, self._ew = story, ew
        self._answers: list[Answer] = []
        self._characters = people.characters
        self._listeners = Listeners(story, ew, people, self._answers.append)

    async def note_costs(self) -> None:
        """Note what models cost that retellers and triages have asked: these answers are in no plan."""
        for each in self._answers:
            if each.usage is not None:
                await self._story.backstage().note_usage(each.by, each.usage)

    async def noted(self, teller: str, text: str, rests_on: Sequence[str], talk: Talk, version: str = "") -> str:
        """Id of the memory that a teller notes, or has noted when this was closed before."""
        key = f"closed-note-{digest(teller, text, version, *rests_on)}"
        if await self._story.has(key):
            outcome = await self._story.outcome(key)
        else:
            metadata = {"pantheonId": talk.telling.pantheon, "messageIds": list(talk.keys)}
            given = {name: value for name, value in metadata.items() if value is not None}
            made: dict[str, Any] = {"type": NOTE, "rule": "the conversation was closed", "key": key}
            outcome = await self._story.remember(teller, text, rests_on=rests_on, metadata=given, **made)
        return next(each.memory_id for each in (await outcome.decided()).deliveries)

    async def ask_together(self, offers: Sequence[tuple[Talk, HeldMemory, SummaryOffer]]) -> None:
        """Ask about those who have not been told before, each once."""
        fresh: dict[str, SummaryOffer] = {}
        for talk, held, offer in offers:
            teller, listener = (self._characters[each] for each in (talk.telling.teller, talk.telling.listener))
            if not talk.is_told and not await self._story.has(_told_key(teller, listener, held)):
                fresh.setdefault(listener, offer)
        if len(fresh) > 1:
            await self._listeners.ask_together(fresh.values())

    async def told(self, teller: str, listener: str, held: HeldMemory, offer: SummaryOffer, talk: Talk) -> Received:
        """What the listener has of what they are told, now or when this was closed before."""
        outcome = await self._passed_on(teller, listener, held, offer, is_told=talk.is_told)
        if outcome is None:
            return Received(())
        copies = [one for one in (await outcome.decided()).deliveries if one.owner == listener][:1]
        copies = await self._standing(copies) if talk.is_told else copies
        for each in copies:
            self._listeners.note(talk.telling, each.memory_id, each.body)
        return Received([(each.memory_id, each.body) for each in copies], is_new=outcome.created)

    async def _standing(self, copies: Sequence[Delivery]) -> list[Delivery]:
        """Those that were not struck on the day they arrived, or retracted."""
        found = await self._ew.engine.ledger.deliveries(self._story.id, memory_ids=[each.memory_id for each in copies])
        active = {each.id for each in found if each.is_active}
        return [each for each in copies if each.id in active]

    async def _passed_on(
        self, teller: str, listener: str, held: HeldMemory, offer: SummaryOffer, *, is_told: bool
    ) -> Outcome | None:
        """What became of telling it, now or when this was closed before; `None` = the listener is not told."""
        key = _told_key(teller, listener, held)
        if await self._story.has(key):
            return await self._story.outcome(key)
        if is_told or (text := await self._listeners.text_of(offer)) is None:
            return None
        telling, content = offer.telling, None if text == held.text else text
        metadata: dict[str, Any] = {"hop": telling.hop, "strength": round(telling.strength, 6)}
        if telling.pantheon is not None:
            metadata["pantheonId"] = telling.pantheon
        how: dict[str, Any] = {"how": telling.how, "trust": telling.trust, "rule": telling.rule, "metadata": metadata}
        return await self._story.tell(teller, listener, held.memory, content=content, day=telling.day, key=key, **how)


def _told_key(teller: str, listener: str, held: HeldMemory) -> str:
    return f"closed-told-{digest(teller, listener, held.memory)}"


async def told_on(story: Session, ew: Earwitness) -> None:
    """After a change of the day: let those tell on what has arrived who were told of conversations, if there are rules
    to tell by."""
    if any(type(value) is RelationshipsSettings for _, value in ew.settings):
        await Conversations(story, ew).go_on()


async def told_anew(story: Session, ew: Earwitness, target: str) -> None:
    """After an edit or a retraction: tell anew what was told of conversations that it was part of."""
    await Conversations(story, ew).tell_anew(target)


def without(message: SettledMessage, lost: Collection[str]) -> SettledMessage:
    """The message as if these had not perceived it."""
    left = {id: part for id, part in message.participants.items() if id not in lost}
    return message.model_copy(update={"participants": left}) if lost else message


def _is_own(delivery: Delivery) -> bool:
    """Whether it is the copy of a message that somebody perceived."""
    return delivery.part == "message" and delivery.support.shared_from is None
