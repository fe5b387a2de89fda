"""From what a sharing rule is asked to the seed of a walk. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from earwitness import SettledMessage, SharingEvent
from earwitness.records.state import State

from .personalities import Personalities
from .records import Seed, Telling


def seed_of(event: SharingEvent, people: Personalities) -> Seed:
    """The seed of a message that was just said, or that is told late because the graph was away."""
    seed = seed_of_settled(event.message, event.state, people)
    return seed if seed.day == event.day else seed.model_copy(update={"day": event.day})


def seed_of_settled(message: SettledMessage, state: State, people: Personalities) -> Seed:
    """The seed of a settled message."""
    heard = {id: part.role for id, part in message.participants.items() if message.heard_by(id)}
    direct = {people.personality.get(id, id): role for id, role in heard.items()}
    return _seed(message, state, people).model_copy(update={"direct": direct})


def seed_of_arrived(event: SharingEvent, people: Personalities, tellings: Mapping[str, Telling]) -> Seed:
    """The seed of what goes on when delayed tellings arrive; `told` are all tellings of the message by listener.

    Who will hear of it later has not heard of it: somebody else may be quicker.
    """
    heard = [id for id, telling in tellings.items() if telling.day <= event.day]
    arrived = [people.personality.get(each.owner, each.owner) for each in event.arrived]
    return _seed(event.message, event.state, people).model_copy(
        update={
            "day": event.day,
            "heard": tuple(dict.fromkeys([*people.of(event.message.participants), *heard])),
            "arrived": tuple(tellings[id].model_copy(update={"day": event.day}) for id in arrived if id in tellings),
        }
    )


def _seed(settled: SettledMessage, state: State, people: Personalities) -> Seed:
    message = settled.message
    about, perhaps = people.mentioned(message.content), people.perhaps_mentioned(message.content)
    return Seed(
        key=message.key,
        day=message.game_day,
        speaker=people.personality.get(message.speaker, message.speaker),
        users=people.users_in(settled),
        concerned=people.users_of((*people.of((message.speaker, *settled.participants)), *perhaps), message.channel),
        about=about,
        perhaps_about=perhaps,
        private=message.context == "dm",
        flags=state.flags,
        place=message.scene,
    )
