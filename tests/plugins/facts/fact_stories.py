"""A story of Kim's with three characters, what a model would draw of it, and the facts that are kept."""

from __future__ import annotations

from earwitness import Character, Earwitness, Session

KIM = Character("kim", kind="persona", user_id="u1", persona_id="p1")
CAST: list[Character | str] = [KIM, "alice", "bob", "charlie"]
BAKER = {
    "subject": "kim",
    "about": "work",
    "value": "baker",
    "text": "Kim is a baker.",
    "quote": "I bake for a living",
    "confidence": 0.9,
}
BREAD = "Since you ask, I bake for a living, as a baker does."
NURSE = {
    **BAKER,
    "value": "nurse",
    "text": "Kim is now a nurse.",
    "quote": "I am a nurse these days",
    "relation": "changes",
    "earlier": "f1",
}


async def begun(ew: Earwitness, id: str = "s1") -> Session:
    return await ew.session(id, cast=CAST, present=["kim", "alice", "bob", "charlie"])


async def facts(story: Session, owner: str) -> list[str]:
    assert await story.jobs.done(limit=20)
    await story.delivered()
    assert story.jobs.failures == ()
    return sorted(each.content for each in (await story.backstage().inspect(owner, filter='type = "fact"')).memories)


async def beyond(story: Session, container: str) -> list[str]:
    assert await story.jobs.done(limit=20)
    await story.delivered()
    return sorted(each.content for each in await story._engine.store.list(container))
