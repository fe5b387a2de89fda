"""The English of sleeping, dying, waking and hiding, and of talking from afar. General usage, no corpus's."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern


def _words(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(pattern, re.IGNORECASE | re.VERBOSE)


def _rare(pattern: str) -> re.Pattern[str]:
    return guarded_pattern(pattern, re.IGNORECASE | re.VERBOSE)


_IS = r"(?:is|are|am|was|were|lies|lay)"
_STILL = r"(?:(?:\w+ly|fast|sound|now|already|back|still|down|stone|wide|half)\s+)*"
_CLOSED = r"(?=\s*(?:[.,;:!?…—–)\"”]|\Z))"
_SELF = r"(?:himself|herself|themselves|itself|myself)"
_THEIR = r"(?:his|her|their|its|my)"
_STEPS = (
    r"(?:comes?|came|steps?|stepped|crawls?|crawled|climbs?|climbed|leaps?|leapt|jumps?|jumped|bursts?|emerges?|emerged|"
    r"creeps?|crept|slips?|slipped)"
)
_COVER = r"(?:hiding|shadows?|wardrobe|closet|cupboard|curtains?|barrel|chest|bushes)"

BECOMES = _rare(
    rf"""
    \b(?:
      (?P<asleep>
          (?:falls?|fell|drops?|dropped|(?:has|have|had)\s+fallen|{_IS})\s+{_STILL}(?<!half\s)asleep
        | (?:dozes?|dozed|nods?|nodded|drifts?|drifted)\s+off
              (?:{_CLOSED}|(?=\s+(?:to\s+sleep|by|in\s+(?:his|her|their|my|the|a)|on|at|again|and)\b))
        | (?:goes?|went)\s+(?:back\s+)?to\s+sleep
        | (?<!had\s)(?<!has\s)(?<!have\s)slept{_CLOSED}
        | {_IS}\s+{_STILL}sleeping\b (?!\s+(?:with|around|rough)\b)
        | sleeps\b (?!\s+(?:with|around|on\s+(?:it|that|this)|in\s+late)\b)
      )
    | (?P<unconscious>
          (?:falls?|fell|collapses?|collapsed|slumps?|slumped|{_IS})\s+{_STILL}unconscious
        | (?:faints?|fainted|swoons?|swooned|blacks?\s+out|blacked\s+out)\b
        | (?:passes?|passed)\s+out (?:{_CLOSED}|(?=\s+(?:on|in|at|by|from|again|cold|drunk|after|and)\b))
        | (?:loses?|lost)\s+consciousness
        | (?:is|are|was|were|gets?|got)\s+knocked\s+(?:out|unconscious|cold)
      )
    | (?P<dead>
          (?:dies|died)\b
              (?!\s+(?:of\s+(?:laughter|laughing|embarrassment|shame|curiosity|boredom)|laughing|inside|a\s+little|
              down|away|out|to|for|a\s+thousand)\b)
        | (?:falls?|fell|drops?|dropped|{_IS})\s+(?:(?:now|already|quite|stone)\s+)*dead\b
              (?!\s*-|\s+(?:tired|serious|set|wrong|right|sure|certain|on|against|drunk|silent|quiet|still|weight|last|ahead|calm|
              beat|end|inside|meat|man|woman|broke|in\s+the\s+water|to\s+(?:me|us|him|her|them|the\s+world))\b)
        | (?:is|are|was|were|gets?|got)\s+(?:\w+ly\s+)?(?:killed|slain|murdered|beheaded|executed)
        | (?:breathes?|breathed)\s+{_THEIR}\s+last\b
      )
    | (?P<awake>
          (?:a?wakes?|a?woke|awakens?|awakened)\b (?:\s+up\b)?
        | (?:comes?|came)\s+(?:to|round)\b (?:{_CLOSED}|(?=\s+(?:again|with|on|in)\b))
        | (?:regains?|regained)\s+consciousness
        | (?:opens?|opened)\s+{_THEIR}\s+eyes
        | (?:sits?|sat)\s+(?:bolt\s+)?up(?:right)?\b
        | {_IS}\s+{_STILL}awake
        | (?:stirs?|stirred|jolts?|jolted|starts?|started)\s+awake
        | (?:gets?|got|stands?|stood)\s+(?:back\s+)?up {_CLOSED}
        | {_STEPS}\s+(?:out\s+)?from\s+(?:behind|under|underneath|beneath|(?:the\s+|{_THEIR}\s+)?{_COVER})
        | {_STEPS}\s+out\s+of\s+(?:(?:the|{_THEIR})\s+)?{_COVER}
        | (?:reveals?|revealed|shows?|showed)\s+{_SELF}
        | leaves?\s+{_THEIR}\s+hiding
        | (?:is|are|was|were|gets?|got)\s+(?:discovered|found\s+out|spotted)
      )
    | (?P<hiding>
          (?:hides?|hid|{_IS}\s+hiding)\b
              (?:{_CLOSED}|(?=\s+(?:behind|under|underneath|beneath|inside|in\s+(?:the|an?)|among|
              from\s+(?:view|sight|the)|out\s+of\s+sight|nearby|there|{_SELF})\b))
        | (?:ducks?|ducked|crouches|crouched|crouch|slinks?|slunk|conceals?|concealed)\s+(?:(?:down|{_SELF}|\w+ly)\s+)*
              (?:behind|underneath|beneath|out\s+of\s+sight)\b
        | (?:slips?|slipped|melts?|melted|sinks?|sank|retreats?|retreated)\s+(?:back\s+)?
              into\s+(?:the\s+shadows?|hiding)\b
      )
    )
    """
)
DOES_TO = _rare(
    r"""
    \b(?:
      (?P<dead> (?:kills?|killed|slays?|slew|murders?|murdered|beheads?|beheaded)\s+ )
    | (?P<awake> (?:a?wakes?|woke|awakens?|awakened|rouses?|roused|revives?|revived)\s+(?:up\s+)?
          | (?:shakes?|shook)\s+(?=[^.,;]{1,40}\sawake\b) )
    | (?P<unconscious> (?:knocks?|knocked)\s+(?:out\s+)?(?=[^.,;]{1,40}(?:\s(?:out|unconscious|cold)\b)|(?<=out\s)) )
    ) (?:(?:the|old|young|poor|brave|sleeping|unconscious|sleepy|dear)\s+)*
    """
)
NOT_NOW = _words(
    r"[^.;!?]{0,40}\b(?:ago|yesterday|last\s+(?:night|week|month|year|spring|summer|autumn|winter)|tomorrow|next\s+\w+|"
    r"someday|some\s+day|one\s+day|(?:in|before|during)\s+the\s+war|in\s+(?:\d+|a\s+dream))\b"
)
NOT_REALLY = _words(
    r"\b(?:always|often|usually|sometimes|never|rarely|hardly|(?:would|could|might|should|must|may|will|not|never)\s+have|"
    r"no\s+longer|not|wherever|whenever|only)\s+(?:\w+ly\s+)?\Z"
)
CLAIMED = _words(
    r"\b(?:that|dream(?:s|t|ed)?|pretends?|pretended|say(?:s|ing)?|said|claim(?:s|ed)|pray(?:s|ed)?|hop(?:es?|ed)|wish(?:es|ed)?|"
    r"fear(?:s|ed)?|suspect(?:s|ed)?|think(?:s|ing)?|thought|believ(?:es?|ed)|imagin(?:es?|ed)|wonders?|swears?|swore|knows?|knew|"
    r"predict(?:s|ed)?|promis(?:es|ed)|bets?|doubts?|assum(?:es|ed)|suppos(?:es|ed)|tells?|told|lies|lied|sings?|sang)\b[^.;]*\Z"
)
BETWEEN = _words(r"[\s,]*(?:(?:who|\w+ly|then|now|soon|still|just|both|all|also)[\s,]+)*+\Z")
NO_SUBJECT = _words(
    r"\b(?:like|of|than|for|with|to|from|at|by|near|beside|behind|against|about|without|except|but|beneath|over|under)\s+"
    r"(?:(?:the|poor|old|young)\s+)*\Z"
)

SLUMBERS = _rare(
    r"""
      \b(?:snor(?:es?|ed|ing)|slumber(?:s|ed|ing)?|sleep(?:s|ing)|slept|asleep|unconscious|motionless|lifeless(?:ly)?|comatose)\b
    | \bin\s+(?:his|her|their|its|my)\s+(?:sleep|dreams?)\b | \bdream(?:s|ed|t|ing)?\b
    | \b(?:lies|lay|remains?|is|am|are)\s+(?:still|there|dead)\b | \b(?:corpse|dead\s+body)\b
    | \btoss(?:es|ed)?\s+and\s+turn | \bdoes(?:n['’]t|\s+not)\s+(?:move|stir|wake|respond|react|answer)\b
    """
)
