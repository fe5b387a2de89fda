"""The standing channels of a story, set up in its bubble, too."""

from __future__ import annotations

from earwitness import Channel, Session
from earwitness.records.channel import StandingChannel
from earwitness.records.state import State


async def seat_as(story: Session, bubble: Session) -> None:
    """Give a bubble the channels of its story, with the members who are in them now."""
    for name, standing in story.state.channels.items():
        ids = {"channel_id": standing.channel_id, "guild_id": standing.guild_id}
        channel, members = Channel(context=standing.context, **ids), _here(standing, story.state, bubble)
        if members:
            await bubble.channel(channel, members, place=standing.place, key=f"canon-channel-{name}")


def _here(standing: StandingChannel, state: State, bubble: Session) -> list[str]:
    """Its members; of a channel at a place, those who are still there."""
    members = [id for id in standing.members if id in bubble.cast]
    if standing.place is None:
        return members
    places = {id: each.place for id, each in state.whereabouts.items()}
    return [id for id in members if places.get(id) == standing.place]
