"""Talk out of character, beyond `((…))`: `// brb`, `{{…}}`, `[[…]]`, `<OOC> …`, `-- ooc, …`, authors' notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from earwitness.patterns import lazy_pattern

_OOC = r"(?:o\.?o\.?c\.?|out[ -]of[ -]character)"
_NOTE = (
    r"(?:a/n|author['’]?s?['’]?\s+notes?|"
    r"(?:player|mod|moderator|gm|dm|admin|writer['’]?s?)['’]?s?\s+notes?|note\s+to\s+(?:the\s+)?(?:gm|dm|players?))"
)
_FOREIGN = (
    r"(?:hrp|hors[ -]?rp|fuera\s+de(?:l)?\s+personaje|fora\s+d[oe]\s+personagem|fuori\s+(?:dal\s+)?personaggio|"
    r"вне\s+(?:роли|игры)|"
    r"off[ -]?(?:rp|rol|topic|play)|pl発言|中の人|场外|場外|皮下|出戏)"
)
_MARK = rf"(?:{_OOC}|{_NOTE}|{_FOREIGN})"
_SPANS = lazy_pattern(
    rf"""
      (?P<tagged> [\[<] \s* {_OOC} \s* [\]>] .*? (?: [\[<] \s* / \s* {_OOC} \s* [\]>] | \Z ) )
    | (?P<doubled> \{{\{{ .*? (?: \}}\}} | \Z ) | \[\[ .*? (?: \]\] | \Z ) | ⟨⟨ .*? (?: ⟩⟩ | \Z ) )
    | (?P<labelled> [\[(] \s* {_OOC} \s* [\])] [^\n]* )
    | (?P<bracketed> [\[({{<] \s* (?: b/c \s+ )? {_MARK} (?!\w) [^\])}}>]* (?: [\])}}>] | \Z ) )
    | (?P<starred> [*_]+ \s* {_OOC} \s* [:.,-]? \s* [*_]+ [^\n]* )
    | (?P<slashed> (?: ^ | (?<=[\s"”*]) ) // (?!/) [^\n]* )
    | (?P<dashed> (?: ^ | (?<=\s) ) (?: --? | – | — | / ) [ \t]* {_OOC} \b [^\n]* )
    | (?P<dice> [*\[(]+ [ \t]* (?: \d*d\d+ | roll(?:s|ed|ing)?\b | nat(?:ural)?[ ]?(?:1|20)\b ) [^*\])\n]* [*\])]+
        | (?: ^ | (?<=[.!?"”*][ ]) ) [^.!?\n"“”*]{0, 60} \b (?: \d*d(?:4|6|8|10|12|20|100) | nat(?:ural)?[ ](?:1|20)
            | (?:bluff|stealth|perception|insight|persuasion|deception|athletics|acrobatics|initiative|arcana|
            investigation)[ ]\d+
            | that['’]s[ ]an?[ ]\d+(?=[,.! ]) ) \b [^.!?\n"“”*]{0, 60} [.!?]? )
    | (?P<line> ^ [ \t]* (?: {_OOC} | {_FOREIGN} ) [ \t]* (?: [:\uff1a,] | [-–—] | \) ) [^\n]* |
         ^ [ \t]* {_NOTE} [ \t]* [:\uff1a] [^\n]* )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_STEMS = (
    *(
        "d4",
        "d6",
        "d8",
        "d1",
        "d2",
        "roll",
        "nat",
        "bluff",
        "stealth",
        "percep",
        "insight",
        "persua",
        "decep",
        "initia",
        "arcana",
        "that's a",
        "that’s a",
    ),
    *("//", "{{", "[[", "ooc", "o.o.c", "of character", "of-character", "a/n", "note", "hrp", "hors", "personaje"),
    *("personagem", "personaggio", "вне ", "off", "pl発言", "中の人", "场外", "場外", "皮下", "出戏"),
)
_FRAME = 300
"""What a model says to its user is no longer."""
_SAID = lazy_pattern(r"""["“«„「]""")
_OPENS_STORY = lazy_pattern(
    r"""[\W_]*(?: here(?:['’]s|\s+is|\s+are|\s+you\s+go|\s+it\s+is|\s+we\s+go)\b
    | (?:of\s+course|certainly|sure(?:\s+thing)?|gladly|absolutely|with\s+pleasure|happy\s+to|understood|
        as\s+you\s+wish|thank(?:s|\s+you)|great\s+(?:idea|prompt|choice)|no\s+\w+ing,\s+I\s+promise|
        what\s+an?\s+(?:charming|lovely|fun|great|wonderful|delightful|fascinating))\b
    | (?:I['’]ll|I\s+will|I['’]ve|let\s+me|we\s+(?:step|go|return|pick\s+up|continue)|continuing|picking\s+up)\b
        [^.!?]{0,80} \b(?:scene|story|chapter|part|tale|opening|instal?ment|version|where\s+we|hour|cast|voices?)\b
    | (?:gern(?:e)?|natürlich|hier\s+(?:ist|kommt)|claro|por\s+supuesto|aquí\s+(?:tienes|está)|bien\s+sûr|voici|
        volontiers|com\s+prazer|aqui\s+está|конечно|вот)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSES_STORY = lazy_pattern(
    r"""[\W_]*(?:[^.!?\n]{0,120}[.!?]\s+)?
    (?: (?:shall|should|may|can)\s+(?:I|we)\b | (?:do|would|did)\s+you\s+(?:want|like|prefer)\b | want\s+me\s+to\b
    | let\s+me\s+know\b | if\s+you(?:['’]d|\s+would)?\s+(?:like|want|prefer)\b | ready\s+for\b
    | tell\s+me\s+(?:if|when|which|what|how)\b
    | (?:what|which|who|where|how)\b [^.!?]{0,60} \b(?:next|from\s+here|would\s+you\s+like|do\s+you\s+want)
    | the\s+[^.!?]{3,60}\s+(?:now|next)\?
    | soll\s+ich\b | möchtest\s+du\b | ¿?quieres\s+que\b | voulez-vous\b | veux-tu\b | quer\s+que\b | хотите\b
    | продолжить\b )""",
    re.IGNORECASE | re.VERBOSE,
)


def may_hold(folded: str) -> bool:
    """Whether a text in small letters may hold any."""
    return any(map(folded.__contains__, _STEMS))


@lru_cache(maxsize=256)
def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Offsets of all that is said out of character. Recent texts are remembered: a message is asked for twice."""
    if not may_hold(text.casefold()):
        return ()
    return tuple(match.span() for match in _SPANS.finditer(text))


def frames(paragraphs: Sequence[str]) -> frozenset[int]:
    """Numbers of the paragraphs by which a model speaks to its user, before the story and after it."""
    if len(paragraphs) < 2:
        return frozenset()
    found = {0} if _is_frame(paragraphs[0], _OPENS_STORY) else set()
    return frozenset(found | ({len(paragraphs) - 1} if _is_frame(paragraphs[-1], _CLOSES_STORY) else set()))


def _is_frame(paragraph: str, pattern: re.Pattern[str]) -> bool:
    return len(paragraph) <= _FRAME and _SAID.search(paragraph) is None and pattern.match(paragraph) is not None
