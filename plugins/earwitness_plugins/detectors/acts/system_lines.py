"""Lines that a chat program writes itself: `Ann left the group`, `Bob added Cid`, `Eve is now offline`.

Only a narrator's message is read so: a character who types such a line claims it. The lines are data, in
`detectors/languages/*.toml`, as the phrases of acts: `(a|b)` is one of several, `[a]` may be missing, `…` stands for up
to forty signs, `<group>` for a word for the group; `{who}` comes or goes, `{by}` did it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from earwitness.errors import SettingsError
from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from ..text.companions import signed
from ..text.movements import Move
from ..text.names import Names

Templates = Mapping[str, Sequence[str]]
"""What a line tells (`leaves`, `enters`, `creates`) → how it is written."""
SYSTEM = ("leaves", "enters", "creates")
_BRACKETS = frozenset("{}<>()[]")
_MOST = 200
"""Longer sentences are not lines of a program."""
_SIGN = "[\ue000-\uf8ff]"
_AND = r"(?:,\s*(?:and|und|y|e|et|и)|,|、|\uff0c|&|\band\b|\bund\b|\by\b|\be\b|\bet\b|\bи\b|と|和)"
_LIST = rf"{_SIGN}(?:\s*{_AND}\s*{_SIGN})*"
_BEFORE = r"(?:\[[^\]\n]{1,40}\])?[^\w\ue000-\uf8ff]*(?:\d{1,2}[:.]\d\d\W*)?(?:[^:.!?\ue000-\uf8ff]{1,40}:\s+)?"
_BEHIND = r"[^\w\ue000-\uf8ff]*(?:\d{1,2}[:.]\d\d\W*)?"
_GAP = r"[^.!?]{0,40}"
_PARTS = lazy_pattern(
    r"\{(?P<whom>who|by)\}|(?P<group><group>)|\((?P<one>[^()]*)\)|\[(?P<maybe>(?:[^\[\]])*)\]|(?P<gap>…)"
)
_PARTS_NAMED = lazy_pattern(r"\{\w+\}|<\w+>")
_WORD = lazy_pattern(r"[^\W_]+")
_FULL_STOPS = frozenset((".", "!", "…", "。"))
_LONG = 3
"""Words with fewer letters stand in other sentences too."""
_MARKUP = str.maketrans("", "", '*_`"“”„«»‘@~')


@dataclass(frozen=True, eq=False, slots=True)
class _Lines:
    """The lines of one language."""

    pattern: re.Pattern[str]
    """The part of its groups' names before `_` says what was matched."""
    words: frozenset[str]
    """A sentence that holds none of them is none of these lines."""
    signs: frozenset[str]
    """The same, for languages without spaces."""

    def may_be(self, sentence: str) -> bool:
        """Whether it is worth trying the pattern."""
        if self.signs and not self.signs.isdisjoint(sentence):
            return True
        return not self.words.isdisjoint(_WORD.findall(sentence.casefold()))


@dataclass(frozen=True, eq=False, slots=True)
class SystemLines:
    """The lines of all languages."""

    languages: tuple[_Lines, ...]

    def moves(self, text: str, names: Names, here: Sequence[str]) -> Iterator[Move]:
        """Who comes and goes by these lines. `here` are the ids of those who would be left out of a new group."""
        mentions = names.find(text)
        if not mentions:
            return
        line, meant = signed(text, mentions)
        members: set[str] = set()
        created = False
        for told, who, by in self._told(line, meant):
            created = created or told == "creates"
            members.update(who, by)
            if told != "creates":
                yield from (Move(id, "leave" if told == "leaves" else "enter", None, text.strip()[:60]) for id in who)
        if created and len(members) > 1:
            yield from (Move(id, "leave", None, text.strip()[:60]) for id in here if id not in members)

    def _told(
        self, line: str, meant: Mapping[str, tuple[str, ...]]
    ) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
        """What each sentence tells, of whom, and who did it."""
        for sentence in sentences(line.translate(_MARKUP)):
            if len(sentence) <= _MOST and meant.keys() & set(sentence):
                tried = (each.pattern.fullmatch(sentence) for each in self.languages if each.may_be(sentence))
                if (found := next(filter(None, tried), None)) and not _is_prose(found):
                    yield _parts(found, meant)


def system_lines(files: Sequence[tuple[Templates, Sequence[str]]]) -> SystemLines:
    """The lines of these templates, each file's with its words for a group."""
    return SystemLines(tuple(_lines(templates, group) for templates, group in files if templates))


def check_templates(told: str, templates: Sequence[str]) -> None:
    """Raises `SettingsError` for a template that tells of nobody, or has something else in brackets."""
    whom = "by" if told == "creates" else "who"
    for template in templates:
        rest = _PARTS.sub(" ", template)
        if f"{{{whom}}}" not in template or not _BRACKETS.isdisjoint(rest):
            raise SettingsError(
                f"The line {template!r} of 'system.{told}' must hold {{{whom}}}. Allowed besides: words, {{who}}, "
                "{by}, <group>, (a|b), [a] and …, with every bracket closed."
            )


def _lines(templates: Templates, group: Sequence[str]) -> _Lines:
    written = [(told, template) for told in SYSTEM for template in templates.get(told, ())]
    each = "|".join(
        f"(?P<{told}_{number}>{_pattern(template, group, number)})" for number, (told, template) in enumerate(written)
    )
    words = [word for _, template in written for word in _WORD.findall(_PARTS_NAMED.sub(" ", template).casefold())]
    return _Lines(
        lazy_pattern(f"{_BEFORE}(?:{each}){_BEHIND}", re.IGNORECASE),
        frozenset(word for word in words if len(word) >= _LONG),
        frozenset(sign for word in words for sign in word if sign >= "\u3040"),
    )


def _pattern(template: str, group: Sequence[str], number: int) -> str:
    pieces, behind = list[str](), 0
    for part in _PARTS.finditer(template):
        pieces += _words(template[behind : part.start()])
        pieces.append(_part(part, group, number))
        behind = part.end()
    return "".join((*pieces, *_words(template[behind:])))


def _part(part: re.Match[str], group: Sequence[str], number: int) -> str:
    if part["whom"]:
        return rf"\s*(?P<{part['whom']}_{number}>{_LIST})"
    if part["group"]:
        return _one_of(group)
    if part["gap"]:
        return _GAP
    options = [_pattern(option, group, number) for option in (part["one"] or part["maybe"] or "").split("|")]
    return f"(?:{'|'.join(options)}){'?' if part['maybe'] is not None else ''}"


def _words(text: str) -> Iterator[str]:
    yield from (rf"\s*{re.escape(word)}" for word in text.split())


def _one_of(words: Sequence[str]) -> str:
    return rf"\s*(?:{'|'.join(re.escape(word) for word in words)})"


def _is_prose(found: re.Match[str]) -> bool:
    """Whether it is a sentence that ends with who was removed: `Ann removed Bob.`. Programs write no stop there."""
    groups = {name.partition("_")[0]: found.end(name) for name, text in found.groupdict().items() if text is not None}
    if "leaves" not in groups or not {"who", "by"} <= groups.keys():
        return False
    return found.string[groups["who"] :].strip() in _FULL_STOPS


def _parts(found: re.Match[str], meant: Mapping[str, tuple[str, ...]]) -> tuple[str, Sequence[str], Sequence[str]]:
    """What a line tells, of whom, and who did it."""
    groups = {name.partition("_")[0]: text for name, text in found.groupdict().items() if text is not None}
    told = next(name for name in SYSTEM if name in groups)
    who, by = (tuple(id for sign in groups.get(part, "") for id in meant.get(sign, ())) for part in ("who", "by"))
    return told, who, by
