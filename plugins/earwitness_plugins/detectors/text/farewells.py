"""Whether the speaker takes leave in so many words: `I have to go`, `I'll be right back`, `Goodbye, everyone!`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern
from .stems import holds_any

_FILLERS = (
    r"(?:(?:really|rly|prob|prolly|just|also|now|actually|probably|quickly|sadly|unfortunately|better|quite)\s+)*"
)
_OBLIGED = rf"""(?:
      {_FILLERS}(?:have|need|got|ought|am\s+going(?:\s+to\s+(?:have|need))?|am\s+about|hate|regret|am\s+sorry|am\s+afraid)\s+to
    | {_FILLERS}(?:gotta|must|should|had\s+better|better|will|shall|am\s+gonna|may\s+have\s+to|will\s+have\s+to)
    | ['’](?:ve|ll|d|m)\s+{_FILLERS}(?:got\s+to|gotta|have\s+to|need\s+to|better|going\s+to(?:\s+(?:have|need)\s+to)?|
          gonna(?:\s+(?:have|need)\s+to)?|about\s+to|sorry\s+to|
          afraid\s+I\s+(?:have\s+to|must|need\s+to))
    | ['’]ll)"""
_NO_GOING = r"""(?:with|over|into|through|on|along|deeper|farther|further|ahead|against|beyond|for\s+(?:it|that|the)|
    back\s+(?:and|over|to\s+(?:what|when|where|that|this|the\s+(?:point|question|start|beginning|topic)))|that|it|up|down|all|first|next|second|last|wherever|anywhere|where|as\s+far|so\s+far|by|about|easy|crazy|to\s+(?:show|great|any))"""
_NO_LEAVING = r"""(?:it|that|them|him|her|some|a|an|my|your|something|nothing|everything|behind|
    the\s+(?!room|table|party|house|hall|tavern|inn|conversation|discussion|meeting|call|building)\w+)"""
_GO = rf"""(?:
      (?:be\s+|get\s+)?go(?:ing)?\b(?!\s+{_NO_GOING}\b)
    | (?:be\s+)?leav(?:e|ing)\b(?!\s+{_NO_LEAVING}\b)
    | (?:be\s+)?head(?:ing)?\s+(?:out|off|home|back|over|to)\b
    | (?:be\s+)?run(?:ning)?(?:(?=\s*(?:[.,;!—–]|\Z))|\s+(?:along|off|to\s+the)\b)
    | (?:step|pop|duck|slip|nip|dash|sneak|rush|hurry)(?:ping|ing)?\s+(?:out|away|off|outside|aside|to|over|home|back)\b
    | be\s+(?:off|on\s+my\s+way|(?:right\s+|straight\s+)?back)\b
    | (?:depart|dash|excuse\s+myself|hang\s+up|turn\s+in|make\s+a\s+move|part\s+ways)\b
    | take\s+(?:off|my\s+leave|(?:this|a|that)\s+call|an?\s+(?:\w+\s+)?(?:break|walk|breather|call))\b
    | (?:(?:sign|log|drop|hop)\s+off|call\s+it\s+a\s+(?:night|day)|use\s+the\s+(?:restroom|bathroom|toilet|loo))\b
    | make\s+an?\s+(?:\w+\s+)?(?:trip|run|call)\b
    | (?:cut|break|interrupt)\b[^.!?]{{0,40}}\b(?:short|off)\b
    | have\s+to\s+(?:go|leave)\b)"""
_OFF_FROM = r"""(?:(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|until|till?|tomorrow|all|this|next|every|sick|
    duty|to\s+an?\s+\w+\s+start|work|balance|topic|limits|meat|sugar|dairy|gluten|alcohol|caffeine|carbs|
    the\s+hook|my\s+(?:meds|game|food))"""
_NOT_OTHERS = r"(?<!\bhe\s)(?<!\bshe\s)(?<!\bthey\s)(?<!\byou\s)(?<!\bhe['’]s\s)(?<!\bshe['’]s\s)(?<!\byou['’]ve\s)"
_SOME_DAY = r"""[^.!?]{0,40}\b(?:next\s+\w+|tomorrow|tonight|some\s*day|one\s+day|later\s+this|
    this\s+(?:week|month|year|summer|winter)|if|when|whenever|once|every|unless)\b"""
_STATED = guarded_pattern(
    rf"""
      \bI(?:\s+|(?=['’])){_OBLIGED}\s+{_FILLERS}{_GO}(?!{_SOME_DAY})
    | \bI(?:['’]m|\s+am)\s+{_FILLERS}(?:
          leaving(?!\s+{_NO_LEAVING}\b)|off(?!\s+{_OFF_FROM}\b)|heading\s+(?:out|off|home)|
          stepping\s+(?:out|away|outside)|
          going\s+(?:home|to\s+bed)|on\s+my\s+way|out\s+of\s+here)\b(?!\s+(?:you|it|that|them|him|her|the\s+record)\b)
    | \b(?:brb|be\s+right\s+back|{_NOT_OTHERS}(?:gotta|got\s+to)\s+
          (?:go(?!\s+{_NO_GOING}\b)|run(?!\s+(?:it|that|this|the|a|some|by|with)\b))|time\s+(?:for\s+me\s+)?
          to\s+(?:go(?!\s+{_NO_GOING}\b)|leave(?!\s+{_NO_LEAVING}\b)|head\s+(?:out|home))|
          excuse\s+me\s+(?:for\s+(?:a|just|one)|a\s+(?:moment|minute|second)|while\s+I)|
          I\s+take\s+my\s+leave|I\s+bid\s+(?:you|thee)|(?:carry|go|keep)\s+on\s+without\s+me|continue\s+without\s+me)\b
    | \b(?:let\s+me|may\s+I|can\s+I|could\s+I|I(?:['’]d|\s+would)\s+like\s+to)\s+{_FILLERS}
          (?:step\s+(?:out|away|outside)|excuse\s+myself|leave\s+you)\b
    | \b(?:sorry|sad|a\s+shame)\s+to\s+(?:have\s+to\s+)?(?:leave|go|cut\s+(?:this|it|our)\b[^.!?]{{0,30}}short)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FAREWELL = guarded_pattern(
    r"""
      \b(?:good-?\s?bye|bye(?:-bye|\s+bye)?|farewell|good\s?night(?!['’]s)|ttyl|until\s+we\s+meet\s+again
        | so\s+long(?=\s*[.,!]|\s*\Z)
        | see\s+(?:you|ya)\s+(?:\w+\s+){0,2}(?:later|soon|around|tomorrow|then|next)
        | catch\s+(?:you|ya)\s+(?:\w+\s+)?(?:later|soon)
        | (?:talk|speak|chat)\s+(?:to|with)\s+you\s+(?:later|soon)
        | (?:un)?till?\s+(?:the\s+)?next\s+(?:time|one)
        | (?:continue|resume|pick|finish|catch\s+up)\b[^.!?]{0,40}\b(?:later|(?:another|some\s+other|next)\s+time)
      )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RETURN = lazy_pattern(
    r"\b(?:I['’]m|I\s+am|I['’]ve\s+come|am)\s+back\b|\b(?:I['’]ll|I\s+will|I['’]ve\s+decided\s+to)\s+stay\b|\?",
    re.IGNORECASE,
)
_FAREWELL_STEMS = ("bye", "farewell", "night", "ttyl", "meet", "long", "see", "next", "later", "soon", "time")
_RETURN_STEMS = ("back", "stay", "?")
_ONLY_IF = lazy_pattern(
    r"\b(?:if|when|whenever|unless|until|before|after|sometimes|often|always|usually|every\s+\w+|each\s+\w+|why|where|"
    r"whether|what|how|say|said|once|never|not|don't|which)\b[^.!?;,]{0,40}\Z",
    re.IGNORECASE,
)
_TOLD = lazy_pattern(
    r"\b(?:say|said|saying|says|a|the|wave|waved|tell|told|our|my|his|her|final|last|to|bid|bids|bade)\s+"
    r"(?:(?:me|you|him|her|them|us|thee)\s+)?\Z",
    re.IGNORECASE,
)
_WINDOW = 80


def leave_taken(spoken: str) -> Iterator[tuple[int, int]]:
    """Where the speaker says that they go: first and last offset of each."""
    return (match.span() for match in _STATED.finditer(spoken) if not _ONLY_IF.search(_before(spoken, match)))


def bids_farewell(spoken: str) -> bool:
    """Whether the speaker says goodbye, which may answer another's."""
    if not holds_any(spoken, _FAREWELL_STEMS):
        return False
    return any(not _TOLD.search(_before(spoken, match)) for match in _FAREWELL.finditer(spoken))


def returns(spoken: str) -> bool:
    """Whether somebody who has just taken leave is after all with the others: says so, or asks them something."""
    return holds_any(spoken, _RETURN_STEMS) and bool(_RETURN.search(spoken))


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _WINDOW) : match.start()]
