"""Of whom a narration says that they do or say something: `said Bob`, `there sits Ann`, `Carl laughed and …`.

Whoever does something where a narration happens is there. Not so whoever is only talked about: in a quotation, behind
`of` or `that`, as somebody's (`Bob's coat`), or in what had been before.
"""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .names import Mention, Names, lists

_QUOTED = lazy_pattern(r'["“„«「『][^"”»」』\n]*["”»」』]?')
_SAYS = (
    r"(?:sa(?:id|ys)|ask(?:s|ed)|repl(?:ies|ied)|answer(?:s|ed)|cr(?:ies|ied)|call(?:s|ed)|add(?:s|ed)|whisper(?:s|ed)|"
    r"murmur(?:s|ed)|mutter(?:s|ed)|shout(?:s|ed)|snap(?:s|ped)|sigh(?:s|ed)|hiss(?:es|ed)|yell(?:s|ed)|went|goes|"
    r"continue[sd]|beg(?:an|ins)|announce[sd]|insist(?:s|ed)|explain(?:s|ed)|declare[sd]|exclaim(?:s|ed)|laugh(?:s|ed)|"
    r"sagte?|fragte?|rief|ruft|meinte?|antwortete?|dijo|dice|preguntó|contestó|dit|demanda|répondit|fit|"
    r"disse|diz|perguntou|respondeu|сказала?|спросила?|ответила?|говорит)"
)
_BEFORE_SPEAKER = lazy_pattern(
    rf"[,.!?…:;—–\"”»’'\s*_]\s*{_SAYS}\s+(?:the\s+|old\s+|young\s+|poor\s+|"
    r"o\s+|a\s+|der\s+|die\s+|el\s+|la\s+|le\s+)?\Z"
)
_UNQUOTED_TAG = lazy_pattern(
    r"[,!?…]\s+(?:says?|said|asks?|asked|answers?|answered|cries|cried)\s+"
    r"(?:(?:the|my|his|her|old|a)\s|[A-Z])"
)
_STANDS_BEFORE = lazy_pattern(
    r"\b(?:sits?|sat|stands?|stood|comes?|came|kneels|knelt|crouche[sd]|waits|waited|hangs|hung|walks|walked|"
    r"leans|leaned|steps|stepped|rises|rose|appears|appeared|emerges|emerged|sitzt|saß|steht|stand|kommt|kam)\s+"
    r"(?:the\s+|old\s+|young\s+|poor\s+)*\Z"
)
_ENDS_CLAUSE = lazy_pattern(r"\s*(?:[,.;:!?…—–\"“”]|\Z|(?:and|with|in|on|at|by|who|to|out|again)\b)")
_CLAUSE_OPENS = lazy_pattern(
    r"(?:\A|[.!?…:;,—–\n\"“”»*_(\[\])>]|\b(?i:and|but|then|as|while|when|where|whereupon|until|so|now|nor|for))\s*"
    r"(?:(?:the|old|young|poor|little|o|os|as|el|la|los|las|der|die|le|les)\s+){0,2}\Z",
)
_SENTENCE_OPENS = lazy_pattern(
    r"(?:\A|[.!?…\n\"”»*_\])>])\s*(?:(?:[Tt]he|[Oo]ld|[Ll]ittle|O|A|El|La|Der|Die|Le)\s+){0,2}\Z"
)
_LABEL = lazy_pattern(r"(?:\A|\n)[\s*_>]{0,4}\Z")
_LABEL_ENDS = lazy_pattern(r"[*_]{0,2}:[*_]{0,2}\s+\S")
_AT_VERB = (
    r"(?:\s*[,(—–][^,.!?;:()—–\n]{1,70}[,)—–])?\s+"
    r"(?:(?:\w+ly|just|then|only|still|also|now|even|never|both|all|himself|herself)\s+){0,2}"
)
_DOES = lazy_pattern(
    _AT_VERB
    + r"""(?!(?:had|sleeps|slept|snore[sd]|dreams|dreamed|dozed|lies|lay|knew|hated|loved|wanted|needed|wished|hoped|
        feared|believed|lived|used|seemed|died|owned|reacted|deleted|pinned|edited|archived|reacts|deletes|pins)\b)
    (?:went|came|took|gave|made|put|set|let|cut|shut|hit|sat|stood|ran|left|kept|held|fell|rose|threw|drew|knelt|
        bent|sent|
      spoke|shook|broke|wore|rode|wrote|ate|drank|sang|rang|began|wound|caught|led|read|slid|swung|stuck|struck|dug|
          spun|
      wept|swept|crept|leapt|leant|blew|laid|spat|sprang|did|got|said|told|saw|heard|felt|found|brought|spread|
      [a-z]{2,}ed|(?!(?:is|was|has|does|as|his|this|us|its|perhaps|always|sometimes|towards|upstairs|knows|hates|loves|
      wants|needs|lives|seems|thus|yes|besides|afterwards|across|whose|minus|plus|versus)\b)[a-z]{2,}s|
      (?:was|were|is|are)\s+(?:(?:already|still|just|now|\w+ly)\s+)?(?:\w{2,}ing|there|in|on|at|by|down|up|out|back)|
      (?:didn|doesn|don)['’]t)\b(?!\s*['’])""",
    re.VERBOSE,
)
_FOREIGN_DOES = lazy_pattern(
    r"\s+(?!(?:und|oder|von|vom|aus|mit|y|e|o|u|de|del|da|do|das|dos|et|ou|du|des|avec|con|com|\u0438|"
    r"\u0438\u043b\u0438|\u0441|\u0438\u0437|"
    r"was|were|is|are|had|has|have|would|could|might|must|should|will|can|may|of|and|or|the|who|whom|in|on|at|from|"
    r"with|to|"
    r"hatte|hätte|war|wäre|würde|había|era|tenía|avait|était|tinha|era|был|была|snored|snores|slept|knew|hated|"
    r"loved|wanted|never|for|by)\b)"
    r"[^\W\d_A-Z]{2,}"
)
_ASCII_WORDS = lazy_pattern(r"\b(?:the|and|was|his|her|with|that|of|said|is|to)\b")


def doers(text: str, names: Names) -> tuple[str, ...]:
    """Ids of those who do or say something in a narration, in order."""
    outside = _QUOTED.sub(_blank, text)
    foreign = _ASCII_WORDS.search(outside) is None
    said = '"' not in outside and _UNQUOTED_TAG.search(outside) is not None
    groups = lists(outside, names.find(outside))
    labelled = [group for group in groups if _is_label(outside, group[0], group[-1])]
    if labelled:
        found = labelled if len(labelled) > 1 else []
    else:
        found = [group for group in groups if _does(outside, group[0], group[-1], foreign=foreign, said=said)]
    return tuple(dict.fromkeys(each.id for group in found for each in group))


def _blank(quoted: re.Match[str]) -> str:
    return '"' + " " * (len(quoted[0]) - 2) + '"' if len(quoted[0]) > 1 else " "


def _is_label(text: str, first: Mention, last: Mention) -> bool:
    """`Bob: …` at the beginning of a line; a single one only says from whom a whole message is."""
    before = text[max(0, first.start - 10) : first.start]
    return _LABEL.search(before) is not None and _LABEL_ENDS.match(text, last.end) is not None


def _does(text: str, first: Mention, last: Mention, *, foreign: bool, said: bool) -> bool:
    """`said`: the text holds speech without quotation marks, so that only a tag tells who does something."""
    if last.possessive:
        return False
    before = text[max(0, first.start - 40) : first.start]
    if _STANDS_BEFORE.search(before) or (_BEFORE_SPEAKER.search(before)):
        return _ENDS_CLAUSE.match(text, last.end) is not None
    if said:
        return False
    if _CLAUSE_OPENS.search(before) and _DOES.match(text, last.end):
        return True
    return foreign and _SENTENCE_OPENS.search(before) is not None and _FOREIGN_DOES.match(text, last.end) is not None
