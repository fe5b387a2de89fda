"""The register of the reference ledger: who owns which container, and who else may read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..containers import Container, Membership, collision
from ..errors import unknown

Key = tuple[str, str, float | None]


class MemoryRegister:
    """Containers by name, and memberships by container, member and first day."""

    def __init__(self) -> None:
        self._containers: dict[str, Container] = {}
        self._memberships: dict[Key, Membership] = {}

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for their owners, all or none."""
        self._claim(containers)

    async def containers(
        self, session: str | None, *, kind: str | None = None, owner: str | None = None
    ) -> Sequence[Container]:
        """The containers of a session, or those of no session."""
        return [
            each
            for each in self._containers.values()
            if each.session == session and kind in {None, each.kind} and owner in {None, each.owner}
        ]

    async def claimed(self, names: Sequence[str]) -> Sequence[Container]:
        """The registered containers among these names."""
        return [each for name, each in self._containers.items() if name in names]

    async def admit(self, memberships: Sequence[Membership]) -> None:
        """Write or replace memberships, all or none."""
        for each in memberships:
            if each.container not in self._containers:
                raise unknown("container", each.container, self._containers)
        self._memberships |= {_key(each): each for each in memberships}

    async def dismiss(self, memberships: Sequence[Membership]) -> None:
        """Remove memberships."""
        for each in memberships:
            self._memberships.pop(_key(each), None)

    async def memberships(
        self, *, containers: Sequence[str] | None = None, member: str | None = None, kind: str | None = None
    ) -> Sequence[Membership]:
        """The memberships that meet all conditions."""
        return [
            each
            for each in self._memberships.values()
            if (containers is None or each.container in containers)
            and member in {None, each.member}
            and kind in {None, self._containers[each.container].kind}
        ]

    def _claim(self, containers: Sequence[Container]) -> None:
        claimed = dict(self._containers)
        for container in containers:
            holder = claimed.setdefault(container.name, container)
            if holder != container:
                raise collision(container, holder)
        self._containers = claimed

    def _release(self, unwanted: Callable[[Container], bool]) -> None:
        self._containers = {name: held for name, held in self._containers.items() if not unwanted(held)}
        self._memberships = {key: each for key, each in self._memberships.items() if key[0] in self._containers}


def _key(membership: Membership) -> Key:
    return membership.container, membership.member, membership.since
