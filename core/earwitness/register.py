"""The register of containers that sessions do not create, and of their members, as a host uses it."""

from __future__ import annotations

from collections.abc import Sequence

from .carried_hubs import is_hub_memory
from .containers import SESSION_KINDS, Container, Membership, check_container
from .engine import Engine
from .errors import InputError, WallError, unknown
from .ids import check_shared_id, check_visible, with_invisible
from .protocols import Ledger
from .records.state import Day
from .validation.arguments import text
from .validation.records import checked


async def register(ledger: Ledger, containers: Sequence[Container]) -> None:
    """Register all of the containers, or none. Raises as `Earwitness.register`."""
    for each in containers:
        if not isinstance(each, Container):
            raise InputError(f"register({each!r}): hand over a Container, such as pantheon_container('olympus').")
        check_container(each)
    for session in {each.session for each in containers if each.session is not None}:
        if await ledger.load(session) is None:
            raise unknown("session", session, await ledger.sessions())
    await _check_visible(ledger, containers)
    await ledger.register(containers)


async def _check_visible(ledger: Ledger, containers: Sequence[Container]) -> None:
    """Raise `InvalidId` for a new container whose name or owner has an invisible character."""
    suspects = {each.name: each for each in containers if with_invisible((each.name, each.owner, each.kind))}
    known = {each.name for each in await ledger.claimed(list(suspects))} if suspects else set()
    for name, each in suspects.items():
        if name not in known:
            for what, id in (("owner", each.owner), ("kind", each.kind), ("name", name)):
                check_visible(f"container {what}", id)


async def admit(
    ledger: Ledger, container: Container | str, member: str, since: Day | None, until: Day | None
) -> Membership:
    """Write a membership. Raises as `Earwitness.admit`."""
    found = await _shareable(ledger, container)
    check_shared_id("member", member)
    membership = checked(Membership, container=found.name, member=member, since=since, until=until)
    if since is not None and until is not None and until < since:
        raise InputError(f"membership of {member!r} in {found.name!r}: until={until} comes before since={since}.")
    await ledger.admit([membership])
    return membership


async def dismiss(ledger: Ledger, container: Container | str, member: str, until: Day | None) -> None:
    """End memberships. Those that would begin after `until` are removed."""
    name = _name(container)
    last = checked(Membership, container=name, member=text("member", member), until=until).until
    held = await ledger.memberships(containers=[name], member=member)
    gone = [each for each in held if last is None or (each.since is not None and each.since > last)]
    cut = [each for each in held if each not in gone and last is not None and (each.until is None or each.until > last)]
    await ledger.dismiss(gone)
    await ledger.admit([each.model_copy(update={"until": last}) for each in cut])


async def memberships(ledger: Ledger, container: Container | str | None, member: str | None) -> tuple[Membership, ...]:
    """The memberships in one container, those of one personality, or all."""
    names = None if container is None else [_name(container)]
    return tuple(await ledger.memberships(containers=names, member=None if member is None else text("member", member)))


async def forget(engine: Engine, container: Container | str) -> Container:
    """Remove a container; returns it. Its name is removed last, so an interrupted removal can be repeated."""
    found = await _shareable(engine.ledger, container)
    name = found.name
    await engine.written(engine.store.drop(name))
    engine.refusals.drop(name)
    await engine.ledger.forget_container(name)
    await engine.written(engine.store.drop(name))  # once more, for deliveries that arrived meanwhile
    return found


async def _shareable(ledger: Ledger, container: Container | str) -> Container:
    """The registered container. Raises `UnknownName`, and `WallError` for the container of a character or the world."""
    name = _name(container)
    found = await ledger.claimed([name])
    if not found:
        raise unknown("container", name, [each.name for each in await ledger.containers(None)])
    if found[0].kind in SESSION_KINDS:
        raise WallError(
            f"container {name!r} is {found[0].owner!r}'s own in session {found[0].session!r}: nobody else may read it."
        )
    return found[0]


def _name(container: Container | str) -> str:
    return container.name if isinstance(container, Container) else text("container", container)


async def forget_in_hubs(engine: Engine, session: str) -> None:
    """Remove what rules told of a story in pantheons' hubs: a later story of the same id must not read it."""
    found: dict[str, list[str]] = {}
    for each in await engine.ledger.deliveries(session, derived=True):
        if is_hub_memory(each) and each.metadata.get("sessionId") == session:
            found.setdefault(each.container, []).append(each.memory_id)
    if found:
        await engine.written(engine.store.remove(found))
        engine.refusals.settle([(name, id) for name, ids in found.items() for id in ids])
