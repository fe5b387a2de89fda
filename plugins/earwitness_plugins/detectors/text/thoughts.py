"""Thoughts as role play tells them: `…, she thought`, `He wondered whether …`, `Thought: …`, `_He must not know._`.

Where it is open how far a thought goes, it goes further: a line lost is a smaller harm than a secret told.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from earwitness.sentences import sentences

from . import thought_patterns as patterns
from .guards import may_find
from .names import opening_name
from .stems import holds_any
from .unspoken import is_unspoken, is_unspoken_tag, may_be_unspoken

Span = tuple[int, int]
NEAR = 100
"""So many characters before a verb are looked at for who thinks."""
_OTHERS = frozenset({"he", "she", "they"})
_TELLING_STEMS = (*patterns.SPOKEN_STEMS, *patterns.LABEL_STEMS)
_STRESSED = 2
"""As many words may be set off only because they are stressed."""
_INTRODUCTION = 200
_REMARK = 3
"""As many words at least make a remark."""


def narrated(text: str) -> list[Span]:
    """Where narration tells a thought. What is tagged (`…, she thought`) reaches over its whole paragraph."""
    may_be = may_be_unspoken(text)
    unsaid = [span for span in _sentence_spans(text) if is_unspoken(text[slice(*span)])] if may_be else []
    if not holds_any(text, patterns.STEMS):
        return unsaid
    told = [span for paragraph in _paragraphs(text) for span in _in_narration(text, paragraph)]
    return joined((*unsaid, *told))


def tagged(text: str, own: Sequence[str], *, follows: bool = False) -> list[Span]:
    """Where bare speech is a thought after all, by its tag: `I must not tell him, she thought`, not `I think so`.

    `own` are the speaker's names. `follows` says that something stands before the text, of which it may tell.
    """
    if not holds_any(text, patterns.SPOKEN_STEMS):
        return []
    names = frozenset(name.casefold() for name in own)
    spans = (_in_speech(text, paragraph, names, follows=follows) for paragraph in _paragraphs(text))
    return [span for span in spans if span is not None]


def may_tell(text: str) -> bool:
    """Whether bare speech holds any word that tells of thinking."""
    return holds_any(text, _TELLING_STEMS) or bool(introduced(text, ()) or led(text))


def is_tag(text: str, own: Sequence[str], *, ended: bool = False) -> bool:
    """Whether narration opens with the tag of a thought that stands before it: `she thinks.`, `thought Ilse.`.

    `ended` says that a sentence ends before it. Then `She knew his face.` is one of its own, and tells of no other.
    """
    end = _tag_end(text, own)
    if end is None:
        return is_unspoken_tag(text, ended=ended)
    return patterns.TELLS_ON.match(text, end) is None and not (ended and patterns.KNOWS_ON.match(text))


def is_only_tag(text: str, own: Sequence[str]) -> bool:
    """Whether it is a tag and no more: `she thinks`, `thought Ilse bitterly`."""
    end = _tag_end(text, own)
    return end is not None and patterns.NOTHING_MORE.match(text, end) is not None


def is_over(text: str) -> bool:
    """Whether a told thought ends where its narration does: `…, she thought.`; not `…, and thought:`."""
    if patterns.ENDS.search(text[-NEAR:]):
        return True
    last = patterns.BOUNDARY.split(text)[-1]
    return patterns.SAYS_ON.search(last) is not None and patterns.CUE.search(last) is None


def is_label(text: str) -> bool:
    """Whether it only says that what follows is thought: `thinking`, `Inner monologue`, `V.O.`."""
    return patterns.ONLY_LABEL.match(text) is not None


def holds_its_thought(text: str) -> bool:
    """Whether a marked direction holds the thought itself: `thinks: he lies`, not `thinks of home`."""
    label = patterns.LABEL.match(text)
    return label is not None and patterns.WORD.search(text, label.end()) is not None


def is_inner(text: str, *, italic: bool, prose: bool) -> bool:
    """Whether what is set off is a thought without saying so: `_He must not know._`, `*Why is she here?*`."""
    bare = text.strip()
    words = len(bare.split())
    if words > 1 and (patterns.INNER_START.match(bare) or judges(bare)):
        return True
    if bare.endswith("?"):
        return prose or words > (_STRESSED if italic else 1)
    if not italic or not patterns.SENTENCE.match(bare):
        return False
    return prose or (words > _STRESSED and not patterns.DEED.match(bare))


def begins_within(text: str) -> bool:
    """Whether several words begin as no deed and hardly any speech does: `I must not tell him`."""
    return len(text.split()) > _STRESSED and patterns.INNER_START.match(text) is not None


def judges(text: str) -> bool:
    """Whether a deed holds what nobody can see: `Her eyes narrow. I know he lies.`; quotes in it do not count."""
    return patterns.JUDGES.search(patterns.QUOTED.sub(" ", text)) is not None


def introduced(text: str, own: Sequence[str]) -> list[Span]:
    """Where bare speech opens by telling of the speaker's mind: `Alice's mind raced: he must die.`."""
    if ":" not in text[:_INTRODUCTION]:
        return []
    name = opening_name(text, own)
    begins = len(text) - len(text.lstrip()) + len(name) if name else 0
    if patterns.INTRODUCED.match(text, begins) is None:
        return []
    return [next(_paragraphs(text))]


def led(text: str) -> list[Span]:
    """Where bare text without quotes tells a thought as an author does: `She wondered whether …`, `It struck her: …`.

    Only where nothing before it in the text speaks of who speaks, or to somebody. Behind a colon all of the paragraph.
    """
    found: list[Span] = []
    if not (may_find(patterns.LED, text) or may_be_unspoken(text)):
        return found
    for start, end in _sentence_spans(text):
        sentence = text[start:end]
        if (patterns.LED.match(sentence) or is_unspoken(sentence)) and not patterns.SAID_TAG.search(sentence):
            lead, colon, _ = sentence.partition(":")
            if patterns.SPEAKER_OR_HEARER.search(lead) and not patterns.HIDDEN_MANNER.match(lead):
                break
            last = next(last for _, last in _paragraphs(text) if last >= end) if colon else end
            found.append((start, last))
        elif patterns.SPEAKER_OR_HEARER.search(sentence):
            break
    return joined(found)


def turns_back(text: str) -> bool:
    """Whether it calls the words between asterisks before it a thought: `The thought would not leave her.`."""
    return patterns.TURNS_BACK.match(text) is not None


def is_coded(text: str) -> bool:
    """Whether `…` in backticks, of several words, is a thought: in role play nothing else is set off so."""
    return text.startswith("`") and not text.startswith("```") and len(text.strip("` \t").split()) > 1


def is_remark(text: str) -> bool:
    """Whether round brackets that stand alone hold no direction but what somebody thinks: `(He's testing me.)`."""
    if len(text.split()) < _REMARK or patterns.STAGE_START.match(text):
        return False
    if (
        text.rstrip()[-1:] == "?"
        or judges(text)
        or (patterns.INNER_START.match(text) and patterns.SENTENCE.match(text))
    ):
        return True
    if not patterns.SPEAKS_OF.search(text):
        return False
    if patterns.SENTENCE.match(text) or patterns.INNER_START.match(text):
        return not patterns.DEED.match(text) or patterns.SHORTENED.match(text) is not None
    return not patterns.DESCRIBES.match(text)


def deeds(text: str, own: Sequence[str]) -> Iterator[str]:
    """What is plainly done beside a thought: `leaves the room, thinking of home`, `…, thought Alice, and left`."""
    for sentence in sentences(text):
        cue = patterns.CUE.search(sentence)
        if cue is None:
            if patterns.DOES.match(sentence) or opening_name(sentence.lstrip(" *_\t\n"), (*own, "I")):
                yield sentence
            continue
        lead = sentence[: cue.start()]
        if patterns.WORD.search(lead) and (cue[0].lower().endswith("ing") or patterns.AND_BEFORE.search(lead)):
            yield lead
        if does := patterns.AND_DOES.search(sentence, cue.end()):
            yield does["deed"]


def _sentence_spans(text: str) -> Iterator[Span]:
    cuts = [0, *(gap.end() for gap in patterns.BOUNDARY.finditer(text)), len(text)]
    return ((start, end) for start, end in pairwise(cuts) if end > start)


def _paragraphs(text: str) -> Iterator[Span]:
    cuts = [0, *(gap.end() for gap in patterns.PARAGRAPH.finditer(text)), len(text)]
    return ((start, end) for start, end in pairwise(cuts) if end > start)


def _in_narration(text: str, paragraph: Span) -> Iterator[Span]:
    cues = (cue for cue in patterns.CUE.finditer(text, *paragraph) if not _is_opinion(text, cue))
    if (first := next(cues, None)) is None:
        return
    ends = [gap.end() for gap in patterns.BOUNDARY.finditer(text, *paragraph)]
    for cue in (first, *cues):
        at = bisect_right(ends, cue.start())
        sentence = (ends[at - 1] if at else paragraph[0], ends[at] if at < len(ends) else paragraph[1])
        if cue["weak"]:
            yield sentence
        else:
            opens = cue["introduces"] or (cue["strong"] and _opens_thought(text, cue, sentence))
            yield (sentence[0], paragraph[1]) if opens else paragraph
            return


def _is_opinion(text: str, cue: re.Match[str]) -> bool:
    """`what she thinks` introduces no thought."""
    return bool(patterns.OPINION.search(text[max(0, cue.start() - NEAR) : cue.start()]))


def _opens_thought(text: str, cue: re.Match[str], sentence: Span) -> bool:
    """`She wondered whether …`: the thought follows. In all else (`…, she thought`) it may stand before as well."""
    lead, rest = text[sentence[0] : cue.start()], text[cue.end() : sentence[1]]
    if cue[0][:3].lower() == "in " and not patterns.WORD.search(lead):
        return bool(patterns.WORD.search(rest))
    if patterns.UNFINISHED.search(lead) or not patterns.LEAD.match(lead):
        return False
    if patterns.INVERTED.match(rest) or patterns.POINTS_BACK.match(rest):
        return False
    return bool(patterns.WORD.search(rest))


def joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span[0] <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], span[1]))
        else:
            found.append(span)
    return found


def _in_speech(text: str, paragraph: Span, own: frozenset[str], *, follows: bool) -> Span | None:
    """The thought told in a paragraph: all of it where it is tagged, else what follows `Alice wondered …` in it."""
    begins = paragraph[1]
    for verb in patterns.TAG_VERB.finditer(text, *paragraph):
        begin = max(paragraph[0], verb.start() - NEAR)
        before = text[begin : verb.start()]
        opens = begin == paragraph[0]
        if _is_spoken_tag(text, verb, before, own, follows=follows and begin == 0):
            return paragraph
        begins = min(begins, _thinks_on(text, verb, before, own, opens=opens))
    return (begins, paragraph[1]) if begins < paragraph[1] else None


def _is_spoken_tag(text: str, verb: re.Match[str], before: str, own: frozenset[str], *, follows: bool) -> bool:
    """`…, she thought.`, `…! thought Alice.`, `… she thought, “`; behind other stretches also `and thought …`."""
    if follows and patterns.GOES_ON_BEFORE.match(before):
        return True
    if verb[0].lower() in patterns.OWN_OPINION:
        return False
    quoted = patterns.QUOTE_FOLLOWS.match(text, verb.end())
    if quoted and patterns.AND_BEFORE.search(before):
        return not re.search(r"\bI\b", text[: verb.start()])
    who = patterns.WHO_BEFORE.search(before)
    tellers = _OTHERS | own | ({"i"} if "self" in verb[0].lower() else set())
    if who and who["who"].casefold() in tellers:
        counts = who["mark"] != "." or who["who"][0].islower()
        counts = counts and (who["mark"] != "" or follows)
        if counts and patterns.TAG_ENDS.match(text, verb.end()):
            return True
    last = before.split()[-1:] if before else []
    if quoted and last and last[0].casefold() in _OTHERS | own:
        return True
    return _is_inverted(text, verb, before, own, follows=follows)


def _is_inverted(text: str, verb: re.Match[str], before: str, own: frozenset[str], *, follows: bool) -> bool:
    """`…! thought Alice.`, `…, thought I.`."""
    marked = patterns.MARK_BEFORE.search(before) or (follows and not before.strip())
    if not marked or verb[0].lower().endswith("ing") or (before.rstrip().endswith(".") and not verb[0].islower()):
        return False
    who = patterns.INVERTED_ENDS.match(text, verb.end())
    return who is not None and (who["who"].casefold() in _OTHERS | own | {"i"} or who["who"][0].isupper())


def _thinks_on(text: str, verb: re.Match[str], before: str, own: frozenset[str], *, opens: bool) -> int:
    """Where a thought begins that the rest of the paragraph tells; the text's end where none does."""
    if verb[0] == "thinks" and (before.strip() or opens) and patterns.BEGINS_BEFORE.search(before):
        return len(text) if patterns.NOT_SO.match(text, verb.end()) else verb.start()
    cuts = [gap.end() for gap in patterns.BOUNDARY.finditer(before)] or ([0] if opens else [])
    start = max((*cuts, before.rfind("]") + 1 or -1), default=-1)
    lead = patterns.NO_WORDS.sub("", before[start:]) if start >= 0 else ""
    name = opening_name(lead, own)
    if name is None or verb[0].lower() in patterns.OWN_OPINION:
        return len(text)
    rest = lead[len(name) :]
    begins = patterns.ONLY_HELPERS.fullmatch(rest) or patterns.JOINS_BEFORE.search(rest)
    return verb.start() - len(lead) if begins else len(text)


def _tag_end(text: str, own: Sequence[str]) -> int | None:
    """Where the tag ends with which narration opens."""
    if not holds_any(text, patterns.STEMS):
        return None
    if found := patterns.OPENING_TAG.match(text):
        return found.end()
    bare = text.lstrip(" ,.;—–-\t\n")
    if name := opening_name(bare, own):
        found = patterns.TELLING.match(text, len(text) - len(bare) + len(name))
    elif (thinking := patterns.THINKING.match(text)) and (name := opening_name(text[thinking.end() :], own)):
        return thinking.end() + len(name)
    return found.end() if found else None
