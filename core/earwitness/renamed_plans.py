"""Renames the plans of one session for another: ids are derived anew, and what is not the session's is left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import JsonValue

from .carried_hubs import hub_memory_id, tells_a_hub
from .ids import memory_id
from .records.derived import Derivation
from .records.journal import Archived, Body, Changed, Derived, Retracted, Transferred
from .records.plan import Delivery, Plan, Restoration, Withdrawal
from .records.state import FactsOf


class RenamedPlans:
    """Renames plans from one session id to another. Call it in sequence order, because plans cite earlier memories.

    Deliveries to containers that belong to no session are left out: the first session has made them already.
    """

    def __init__(self, old: str, new: str, containers: Collection[str] = ()) -> None:
        """`containers` are the names, under the old id, of all containers that belong to the session."""
        self.old, self.new = old, new
        self._containers = containers
        self._ids: dict[str, str] = {}
        self._left_out: set[str] = set()
        self._in_hubs: dict[str, str] = {}
        """Ids of memories in hubs, under both session ids."""

    def plan(self, plan: Plan) -> Plan:
        """The plan under the new session id."""
        kept = [each for each in plan.deliveries if not each.beyond_session]
        self._left_out |= {each.memory_id for each in plan.deliveries if each.beyond_session}
        for each in kept:
            name = self.container(each.container)
            if each.memory_id not in self._ids:  # another message may have made it
                self._ids[each.memory_id] = memory_id(self.new, each.source, each.revision, name, each.part)
        deliveries = tuple(self._delivery(each) for each in kept)
        self._ids |= {old.id: new.id for old, new in zip(kept, deliveries, strict=True)}
        return plan.model_copy(
            update={
                "session": self.new,
                "deliveries": deliveries,
                "supported": tuple(self._id(each) for each in plan.supported),
                "withdrawals": tuple(self._withdrawal(each) for each in plan.withdrawals),
                "restorations": tuple(self._restoration(each) for each in plan.restorations),
                "derived": tuple(self._derivation(each) for each in plan.derived),
                "facts": {key: noted and self._facts(noted) for key, noted in plan.facts.items()},
            }
        )

    def body(self, body: Body) -> Body:
        """The body of an entry with the new ids of its memories. The plans before it must be renamed already."""
        match body:
            case Derived():
                self._note_hub(body.derivation)
                return body.model_copy(update={"derivation": self._derivation(body.derivation)})
            case Retracted() if body.target in self._in_hubs:
                return body.model_copy(update={"target": self._in_hubs[body.target]})
            case Changed() if body.facts:
                return body.model_copy(update={"facts": self._facts(body.facts)})
            case Transferred():
                return body.model_copy(update={"memory": self._id(body.memory)})
            case Archived():
                named = tuple(self._in_hubs.get(id, self._id(id)) for id in body.memories)
                return body.model_copy(update={"memories": named})
            case _:
                return body

    def _note_hub(self, made: Derivation) -> None:
        """What hubs were told, an imported story tells them anew."""
        if tells_a_hub(made) and made.identity is not None:
            old, new = (hub_memory_id(made, session) for session in (self.old, self.new))
            self._in_hubs[old] = new

    def container(self, name: str) -> str:
        """The new name of a container. Names of a session's containers begin with the session id."""
        return f"{self.new}{name.removeprefix(self.old)}"

    def _delivery(self, old: Delivery) -> Delivery:
        cites = {id: self._id(id) for line in old.knowledge for id in line.cites}
        knowledge = tuple(
            line.model_copy(update={"cites": tuple(cites[id] for id in line.cites)}) for line in old.knowledge
        )
        support = old.support.model_copy(update={"via": self._id(old.support.via) if old.support.via else None})
        return old.model_copy(
            update={
                "session": self.new,
                "memory_id": self._id(old.memory_id),
                "container": self.container(old.container),
                "knowledge": knowledge,
                "rests_on": tuple(self._id(id) for id in old.rests_on),
                "support": support,
                "status": old.status if old.status in {"struck", "archived"} else "pending",
            }
        )

    def _withdrawal(self, old: Withdrawal) -> Withdrawal:
        named = self._id(old.memory_id) if old.memory_id else None
        return old.model_copy(update={"memory_id": named, "removes": self._both(old.removes)})

    def _restoration(self, old: Restoration) -> Restoration:
        return old.model_copy(update={"memory_id": self._id(old.memory_id), "restores": self._both(old.restores)})

    def _derivation(self, old: Derivation) -> Derivation:
        name = old.container
        if name is not None and name in self._containers:
            name = self.container(name)
        rests_on, instead = tuple(map(self._id, old.rests_on)), tuple(map(self._derivation, old.instead))
        return old.model_copy(update={"container": name, "rests_on": rests_on, "instead": instead})

    def _facts(self, noted: FactsOf) -> FactsOf:
        """What packages note, with the new ids of the memories that it names."""
        return {name: tuple(self._value(each) for each in facts) for name, facts in noted.items()}

    def _value(self, old: JsonValue) -> JsonValue:
        if isinstance(old, str):
            return self._id(old)
        if isinstance(old, Mapping):
            return {self._id(key): self._value(each) for key, each in old.items()}
        return [self._value(each) for each in old] if isinstance(old, list | tuple) else old

    def _both(self, deliveries: dict[str, str]) -> dict[str, str]:
        kept = {id: memory for id, memory in deliveries.items() if memory not in self._left_out}
        return {self._id(id): self._id(memory) for id, memory in kept.items()}

    def _id(self, id: str) -> str:
        return self._ids.get(id, id)
