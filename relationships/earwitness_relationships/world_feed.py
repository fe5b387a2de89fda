"""The plugin `relationships`: what a host says of the world feeds the story's graph, where the rule file says so.

What messages bring about is fed by the sharing rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from earwitness import Plugin, StateChangeAnswer, StateChangeEvent
from earwitness.errors import SettingsError
from earwitness.loading.resources import Resources

if TYPE_CHECKING:
    from .model import RelationshipsModel


class WorldFeed(Plugin):
    """Notes who has what and who is where, as the changes of a story say."""

    table = "relationships"
    """It is loaded only if the settings contain this table."""
    follows_updates = True

    def __init__(self, *, resources: Resources) -> None:
        self._resources = resources

    async def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        """The facts that the change makes; nothing for most."""
        from .model import PACKAGE, RelationshipsModel  # here, because this module is loaded without the table, too
        from .rules.feeds import noted, places_of

        model = self._resources.get(RelationshipsModel, PACKAGE, _not_shared)
        if not model.file.feeds:
            return None
        await model.open()
        picture = await model.picture(event.session, event.before)
        graph, book = picture.graph, picture.book
        places, scene = places_of(event.after), event.after.current_scene
        facts = noted(book, event.updates, event.cast, graph, places, event.day, scene)
        return StateChangeAnswer(facts=facts) if facts else None


def _not_shared() -> RelationshipsModel:
    raise SettingsError("the plugin 'relationships' needs the sharing rule, guard or graph of [relationships].")
