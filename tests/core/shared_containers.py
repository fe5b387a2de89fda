"""What the tests of shared containers share."""

from collections.abc import Awaitable, Callable
from typing import Any

from earwitness import (
    Container,
    Earwitness,
    ReadRequest,
    Session,
)
from earwitness.containers import pantheon_container
from earwitness.testing.samples import memory
from earwitness.testing.scripted import Reads

Open = Callable[..., Awaitable[Earwitness]]


HUB, OTHER = pantheon_container("olympus"), pantheon_container("asgard")


async def shared(app: Earwitness, container: Container, *contents: str, member: str = "alice", **metadata: Any) -> None:
    """A container with a member, and memories that are found the better the earlier they stand."""
    await app.register(container)
    await app.admit(container, member)
    given = {"learnedDay": 1, **metadata}
    await app.engine.store.put(
        [memory(container.name, f"{container.name}-{at}", each, **given) for at, each in enumerate(contents)]
    )


async def begin(app: Earwitness, *said: str, id: str = "s1") -> Session:
    """A story in which Alice has said these things."""
    story = await app.session(id, cast=["alice", "bob"], present=["alice", "bob"])
    for each in said:
        await (await story.say("alice", each)).settled()
    return story


def reads(*requests: ReadRequest, **more: Any) -> dict[str, Any]:
    """Settings with one provider that always asks for this."""
    return {"read_providers": [Reads(*requests)], **more}
