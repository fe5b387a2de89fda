"""Who is called by name where no comma sets the name off, as in chats: `Joe can you bring salad?`, `lol Joe`.

That is read only where the next words speak to somebody: a verb in the second person, or an order that cannot be told
of anybody else (`joe bring salad`, German `bringst du`, French `viens`). It says who is meant, never who is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from earwitness.patterns import lazy_pattern

from .names import Mention, lists

_STARTS = lazy_pattern(
    r"(?:\A|[.!?…;:\n。\uff01\uff1f])[\s\"”'»]*(?:(?:and|but|so|well|ok|okay|oh|ah|hey|yo|lol|lmao|haha+|omg|wow|btw|"
    r"und|aber|also|na|ach|et|mais|alors|y|pero|bueno|e|mas|\u0430|и|но|ну)[,\s]+){0,2}\Z",
    re.IGNORECASE,
)
_ENGLISH = (
    r"(?:(?:can|could|will|would|did|do|don['’]?t|didn['’]?t|are|aren['’]?t|were|have|haven['’]?t|should|shall|may|must|what|when|where|"
    r"how|why|who)\s+){1,2}(?:you|u|ya)\b(?!\s+an?\b)|(?:you|u|your|you['’]?(?:re|ll|ve|d)|please|pls|plz)\b"
)
_ORDER = (
    r"(?:bring|come|go|tell|give|take|help|look|listen|wait|stop|get|make|be|don['’]?t|do|call|check|send|show|keep|try|hold|hurry|"
    r"pick|grab|watch|stay|sit|stand|open|close|run|pass|ask|answer|remember|forget|leave|move|follow|calm|shut\s+up|let['’]?s)\b"
    r"(?!\s+(?:is|was|has|and)\b)"
)
_GERMAN = (
    r"(?:\w+st\s+du|(?:was|wann|wo|wie|warum|wer)\s+\w+st\s+du|du|bitte|"
    r"bring|komm|geh|sag|gib|nimm|hilf|schau|guck|warte|hör|mach|lass|hol|zeig|schick|pass|vergiss|sei|bleib)\b"
)
_FRENCH = (
    r"(?:\w+-(?:tu|vous)|(?:peux|veux|vas|viens|sais|as|es)\s+tu|tu|vous|t['’]\w+|est-ce\s+que\s+(?:tu|vous)|\w+-(?:moi|nous|le|la|les)|s['’]il\s+(?:te|vous)\s+pla[iî]t|stp|svp|"
    r"viens|dis|prends|attends|fais|tiens|mets|sois)\b"
)
_IBERIAN = (
    r"(?:(?:qué|cuándo|dónde|cómo|que|quando|onde|como)\s+)?(?:(?:puedes|podrías|quieres|vienes|tienes|eres|estás|vas|sabes|traes|"
    r"crees|podes|queres|vens|tens|vais|trazes|és)\b|(?:tú|tu|você|vc)\b|(?:ven|dime|dame|haz|oye|ponte|ayúdame|diz-me|dá-me|ajuda-me)\b|"
    r"por\s+favor\b)"
)
_RUSSIAN = (
    r"(?:(?:\u0430|что|когда|где|как|почему)\s+)?(?:(?:ты|вы|пожалуйста|принеси|иди|скажи|дай|помоги|подожди|смотри|слушай|возьми|"
    r"приходи)(?:те)?|(?!лишь\b)\w+(?:ешь|ишь|ёшь|шься))\b"
)
_EASTERN = r"[你妳您]|请|別|(?:さん|くん|君|ちゃん|さま|様)?(?:お願い|頼む|来て|待って|見て|聞いて|持ってき)"
_SPEAKS = lazy_pattern(rf"\s+(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_IBERIAN}|{_RUSSIAN})|\s*(?:{_EASTERN})", re.IGNORECASE)
_ORDERS = lazy_pattern(rf"\s+{_ORDER}", re.IGNORECASE)
_AFTER_A_WORD = lazy_pattern(
    r"(?:\A|[.!?…;:,\n])\s*(?:l+o+l+|lmao|rofl|ha(?:ha)+|hehe|omg|wtf|thx|ty|same|nice(?:\s+one)?|congrats|merci|danke|gracias|obrigad[oa]|"
    r"спасибо|how\s+are\s+(?:you|u)|what\s+do\s+(?:you|u)\s+think|(?:are\s+)?(?:you|u)\s+(?:coming|ready|there|ok|okay|in|free|serious|sure|kidding)|"
    r"kommst\s+du|was\s+meinst\s+du|tu\s+viens|vienes|vens)\s+\Z",
    re.IGNORECASE,
)
_CLOSED = lazy_pattern(r"\s*(?:[.!?…]|\Z)")
_WINDOW = 60


def called_plainly(text: str, mentions: Sequence[Mention]) -> Iterator[str]:
    """Ids of those whom the spoken text calls so, in order."""
    for group in lists(text, mentions):
        start, end = group[0].start, group[-1].end
        if group[-1].possessive or text[start : start + 4].casefold() == "the ":
            continue
        left, right = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
        before = _STARTS.search(left) and (_SPEAKS.match(right) or (len(group) == 1 and _ORDERS.match(right)))
        if before or (_AFTER_A_WORD.search(left) and _CLOSED.match(right)):
            yield from (mention.id for mention in group)
