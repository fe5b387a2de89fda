"""What is worded as a going and is none: `runs out of breath`, `hangs up the coat`; and deeds that one stays after."""

from __future__ import annotations

import re

from .farewells import bids_farewell
from .guards import guarded_pattern

_OWN = r"(?:the|an?|his|her|their|my|its|some|another)"
_CLOTHES = (
    r"(?:coat|cloak|jacket|dress|shoes?|boots?|gloves?|armou?r|shirt|robes?|clothes|sweater|gown|apron|costume|"
    r"uniform|trousers|jeans|hood|harness|pack|rucksack)"
)
_IDIOMS = guarded_pattern(
    rf"\b(?:h[au]ngs?\s+up\s+{_OWN}\s+(?!(?:tele)?phone|call|handset|receiver|headset|line|radio)\w+"
    r"|r[au]ns?\s+out\s+of\s+(?:breath|words|patience|time|luck|ideas|steam|money|food|water|ammo|ammunition|coins?|"
    r"options|excuses|things)"
    rf"|(?:go|goes|went)\s+(?:far\s+)?out\s+of\s+{_OWN}\s+way"
    r"|(?:slip(?:s|ped)?|gets?|got|climb(?:s|ed)?|wriggle[sd]?|step(?:s|ped)?|struggle[sd]?)\s+out\s+of\s+"
    rf"{_OWN}\s+(?:\w+\s+)?{_CLOTHES}"
    r"|(?:walk(?:s|ed)?|r[au]ns?|sle(?:eps?|pt)|dance[sd]?|ride[s]?|rode)\s+off\s+"
    rf"{_OWN}\s+(?:\w+\s+)?(?:pain|cramp|ache|hangover|dinner|lunch|meal|drink|anger|bruise|blow|injury|nerves|limp|wine)"
    r"|(?:step(?:s|ped)?|climb(?:s|ed)?|gets?|got)\s+out\s+of\s+the\s+(?:shower|bath|tub|pool|water|lake|sea)"
    r"|excuse[sd]?\s+\w+sel(?:f|ves)\s+for"
    r"|(?:is|was|am|are)\s+off\s+the\s+(?:hook|record|mark|menu|wagon|chart))\b",
    re.IGNORECASE,
)
_STAYED = guarded_pattern(
    r"\b(?:(?:closes?|closed|shuts?|locks?|locked|pulls?|pulled|pushe[sd])\s+the\s+(?:\w+\s+)?door\s+(?:\w+\s+)?behind\s+\w+"
    r"|(?:takes?|took|climbs?|climbed)\s+the\s+(?:stairs|steps)\s+\w+\s+at\s+a\s+time"
    r"|(?:turn|switch|power)(?:s|es|ed)?\s+off\s+(?:his|her|their|my|the)\s+(?:phone|radio|screen)"
    r"|(?:turn|switch|power)(?:s|es|ed)?\s+(?:his|her|their|my|the)\s+(?:phone|radio|screen)\s+off"
    r"|closes?\s+the\s+(?:laptop|lid))\b",
    re.IGNORECASE,
)


def without_idioms(told: str) -> str:
    """A text with blanks for what is worded as a going and is none, as long as it was."""
    return _IDIOMS.sub(_blank, told)


def of_who_stays(told: str, said_after: str) -> str:
    """The same for what somebody does who then speaks on, other than to say goodbye: `*closes the door behind him*`."""
    stays = said_after.strip() and not bids_farewell(said_after)
    return _STAYED.sub(_blank, told) if stays else told


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
