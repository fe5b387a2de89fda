"""A graph as a list of relations."""

from collections.abc import Collection, Iterable

from earwitness_relationships.graph import Relation


class Listed:
    """A graph as a list of relations."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._of: dict[str, list[Relation]] = {}
        for each in relations:
            self._of.setdefault(each.source, []).append(each)

    def relations_of(self, node: str, types: Collection[str] | None = None, min_weight: float = 0.0) -> list[Relation]:
        found = self._of.get(node, ())
        return [each for each in found if (types is None or each.type in types) and each.weight >= min_weight]
