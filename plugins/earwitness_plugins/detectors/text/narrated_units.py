"""A narration in units: sentences, a quote together with the tag before or behind it."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.patterns import lazy_pattern

from ..discretion.inner_prose import sentences

_QUOTE_OPENS = lazy_pattern(r"""\s*["“«‘„「]""")
_TAG = lazy_pattern(r"""["”»’]\s*[^"“«‘.!?]*\Z|[:,]\s*\Z""")
_SAID = lazy_pattern('„[^“”"]*[“”"]?|["“«][^"”»]*["”»]?|「[^」]*」?|『[^』]*』?')
_SHUTS = ('"', "”", "»", "“", "」", "』")


def outside_quotes(text: str) -> str:
    """What is told, without what is said in it."""
    return _SAID.sub(" … ", text)


def units(text: str) -> Iterator[str]:
    """Sentences, a quote together with the tag before or behind it."""
    unit = ""
    for start, end in sentences(text):
        part = text[start:end]
        if unit and (_is_within_quote(unit) or (_TAG.search(unit.rstrip()) and _QUOTE_OPENS.match(part))):
            unit += part
            continue
        if unit and unit.rstrip().endswith(_SHUTS) and part[:1].islower():
            unit += part
            continue
        if unit:
            yield unit
        unit = part
    if unit:
        yield unit


def _is_within_quote(text: str) -> bool:
    if "„" in text:
        return text.count("„") > text.count("“") + text.count("”") + text.count('"')
    if text.count("「") > text.count("」"):
        return True
    return text.count('"') % 2 == 1 or text.count("“") > text.count("”")
