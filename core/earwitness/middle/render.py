"""MIDDLE: renders memories as a block of text, in sections with headings. `lines` words each of them. Pure functions.

Memories are data. Their text cannot forge a heading, end the block, or contain a placeholder that would be filled.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from ..formats import BLOCK_CLOSE, BLOCK_OPEN, harmless_block
from ..invisible import IN_LINE
from ..loading.settings import FillSettings, SectionSettings
from ..patterns import lazy_pattern
from ..start.recalled import OWN, OWN_SECTION, Recalled, Section
from .lines import Labels, filled, lines_of, one_line

LABELS = Labels()
_UNSEEN = lazy_pattern(f"[{IN_LINE}]+")
_BEFORE = lazy_pattern(rf"\A(?:[{IN_LINE}>*+\-_~|`•‣]|[(\[]?+\d{{1,9}}[.)\]])++")
LONGEST = 1_000
"""Characters of a line that are compared with a heading or mark."""


def render(
    memories: Sequence[Recalled],
    settings: FillSettings,
    notes: Sequence[str] = (),
    sections: Sequence[Section] = (OWN,),
    labels: Labels = LABELS,
) -> str:
    """The block of memories, with tags by which it can be removed if a model repeats it.

    Several sections have headings. If there are only the character's own memories, there is no heading. Sections with
    a placeholder of their own are left out.
    """
    together = [each for each in _shown(memories, settings) if each.section not in settings.own_placeholders]
    if not together and not notes:
        return ""
    said = "".join(f"{_harmless(note, settings)}\n" for note in notes)
    block = _block(f"{said}{_in_sections(_by_section(together, settings, sections, labels), settings, sections)}")
    return settings.template.replace("{memories}", block) if settings.template else block


def render_section(memories: Sequence[Recalled], name: str, settings: FillSettings, labels: Labels = LABELS) -> str:
    """The block of a single section, without heading, notes and template."""
    texts = [_text(each, settings, labels) for each in _shown(memories, settings) if each.section == name]
    return _block(_listed(texts, settings)) if texts else ""


def _shown(memories: Sequence[Recalled], settings: FillSettings) -> Sequence[Recalled]:
    return memories if settings.unsayable == "mark" else [each for each in memories if each.sayable]


def _text(recalled: Recalled, settings: FillSettings, labels: Labels) -> str:
    """The text of a memory, with a line below it if it must not be said here."""
    templates = settings.templates
    text = recalled.text if settings.style == "stored" else lines_of(recalled, templates, labels)
    mark = one_line(templates.unsayable.partition("{reason}")[0])
    text = _unforged(text, lambda line: bool(mark) and line.startswith(_folded(mark)))
    if recalled.unsayable is not None:
        text = f"{text}\n{filled(templates.unsayable, {'reason': one_line(recalled.unsayable)})}"
    return _harmless(text, settings)


def _block(text: str) -> str:
    return f"{BLOCK_OPEN}\n{text}\n{BLOCK_CLOSE}"


def _by_section(
    memories: Sequence[Recalled], settings: FillSettings, sections: Sequence[Section], labels: Labels
) -> dict[str, list[str]]:
    """The texts of all sections that are not empty, in the order of the sections."""
    texts: dict[str, list[str]] = {section.name: [] for section in sections}
    for each in memories:
        texts.setdefault(each.section, []).append(_text(each, settings, labels))
    return {name: each for name, each in texts.items() if each}


def _in_sections(texts: Mapping[str, Sequence[str]], settings: FillSettings, sections: Sequence[Section]) -> str:
    """Format the sections. JSON is a list of texts, or an object with a list for each section name."""
    if not texts.keys() - {OWN_SECTION}:
        return _listed(texts.get(OWN_SECTION, ()), settings)
    if settings.format == "json":
        return json.dumps(texts, ensure_ascii=False, indent=0)
    given = {section.name: section.heading for section in sections}
    headings = {name: _heading(name, given.get(name), settings) for name in texts}
    shown = {_folded(heading) for heading in headings.values() if heading}
    return "\n\n".join(
        "\n".join(
            filter(None, (headings[name], _listed([_unforged(text, shown.__contains__) for text in own], settings)))
        )
        for name, own in texts.items()
    )


def _heading(name: str, given: str | None, settings: FillSettings) -> str:
    """The line above a section; empty if the settings ask for none. A heading with marks of its own is not changed."""
    chosen = settings.sections.get(name, SectionSettings()).heading
    words = next((each for each in (chosen, given) if each is not None), name.replace("_", " ").capitalize())
    line = " ".join(words.split())
    if line.startswith(("#", "*")):
        return _harmless(line, settings)
    return settings.heading.replace("{heading}", _harmless(line, settings)) if line else ""


def _unforged(text: str, passes: Callable[[str], bool]) -> str:
    """Escape, with a backslash, every line that `passes` for one of ours, given the line as it is compared."""
    return "\n".join(f"\\{line}" if passes(_folded(line)) else line for line in text.split("\n"))


def _folded(line: str) -> str:
    """The line for comparison, without invisible characters and the marks of a list or quote before it."""
    before = _BEFORE.match(line)
    begin = before.end() if before else 0
    longer = "" if _UNSEEN.fullmatch(line, begin + LONGEST) or len(line) <= begin + LONGEST else "…"
    plain = unicodedata.normalize("NFKC", line[begin : begin + LONGEST]).casefold()
    return _BEFORE.sub("", " ".join(_UNSEEN.sub(" ", plain).split())) + longer


def _harmless(text: str, settings: FillSettings) -> str:
    """Escape everything that would end our block, and the host's placeholders, with a backslash."""
    for placeholder in (*settings.placeholders, *settings.own_placeholders.values()):
        text = text.replace(placeholder, f"{placeholder[0]}\\{placeholder[1:]}")
    return harmless_block(text)


def _listed(texts: Sequence[str], settings: FillSettings) -> str:
    match settings.format:
        case "numbered":
            return "\n".join(f"{number}. {_indented(text)}" for number, text in enumerate(texts, 1))
        case "plain":
            return "\n\n".join(texts)
        case "json":
            return json.dumps(texts, ensure_ascii=False, indent=0)


def _indented(text: str) -> str:
    return text.replace("\n", "\n   ")
