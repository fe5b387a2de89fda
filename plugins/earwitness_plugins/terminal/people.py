"""The cast and the days of a story, for a terminal: names, colours, who heard what, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text

from earwitness.invisible import alters_display
from earwitness.loading.settings import Calendar
from earwitness.records.character import Cast
from earwitness.records.message import Participant, Role

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta", "bright_green")
HEARD, NOT_THERE = "●", "○"
ROLES: Mapping[Role, str] = {
    "speaker": "said it",
    "addressee": "addressed",
    "present": "",
    "overhearing": "overheard",
    "absent": "",
    "mentioned": "",
}


def plain(text: str) -> str:
    """The text without control characters, which a terminal would obey, and without those that turn its order round."""
    return "".join("�" if alters_display(c) and c not in "\n\t" else c for c in text)


class People:
    """Names and colours of one cast, and its calendar."""

    def __init__(self, cast: Cast, calendar: Calendar | None = None) -> None:
        self.cast = cast
        self.calendar = calendar or Calendar()
        coloured = [member.id for member in cast if member.kind != "narrator"]
        self._colours = {id: COLOURS[n % len(COLOURS)] for n, id in enumerate(coloured)}

    def name(self, id: str, *, bold: bool = False) -> Text:
        """A display name in its colour; an unknown id is shown as it is."""
        member = self.cast.by_id.get(id)
        colour = self._colours.get(id, "white")
        return Text(plain(member.name if member else id), style=f"bold {colour}" if bold else colour)

    def called(self, id: str) -> str:
        """A display name without its colour."""
        return self.name(id).plain

    def names(self, ids: Iterable[str]) -> Text:
        """Names with commas between them."""
        return Text(", ").join(self.name(id) for id in ids)

    def day(self, day: float) -> str:
        """A game day as the calendar calls it: `day 6`, `night 2.5`."""
        return plain(self.calendar.show(day))

    @property
    def ids(self) -> tuple[str, ...]:
        """Everybody, narrators last, each group in the order they joined."""
        return (*self._colours, *(id for id in self.cast.ids if id not in self._colours))

    def heard(
        self, participants: Mapping[str, Participant], addressees: Sequence[str] = (), person: str | None = None
    ) -> Text:
        """`● Alice said it  ● Bob addressed  ○ Charlie`: those who heard it come first.

        Narrators are outside the scene, so those who did not hear it are not shown, except the one whom the `person`
        at the terminal plays.
        """
        roles = {id: part.role for id, part in participants.items()}
        roles |= {id: "addressee" for id in addressees if roles.get(id) == "present"}
        there = [self._there(id, roles[id]) for id in self.ids if id in roles]
        away = [id for id in self.ids if id not in participants and (id in self._colours or id == person)]
        return Text("  ").join([*there, *(Text(f"{NOT_THERE} {self.called(id)}", style="dim") for id in away)])

    def _there(self, id: str, role: Role) -> Text:
        part = Text.assemble((f"{HEARD} ", self._colours.get(id, "white")), self.name(id))
        return part.append(f" {ROLES[role]}", style="dim") if ROLES[role] else part
