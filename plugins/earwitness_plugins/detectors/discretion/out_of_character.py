"""Talk out of character, beyond `((…))`: `// brb`, `{{…}}`, `[[…]]`, `<OOC> …`, `-- ooc, …`, authors' notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def may_hold(folded: str) -> bool:
    """Whether a text in small letters may hold any."""
    return any(stem in folded for stem in _STEMS)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of all that is said out of character."""
    if may_hold(text.casefold()):
        yield from (match.span() for match in _SPANS.finditer(text))
