"""Says plainly what a text says with a cleft, an afterthought or a pronoun, before its clauses are read. Pure, English.

"It was Carl who stole it" becomes "Carl stole it", "…, but it is not true" a sentence of its own, and "he" the one
character it can mean. A "he" or "she" that may mean several is somebody; if nobody is named, it stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..patterns import lazy_pattern
from .clauses import CLAUSE_BEGINS, word_list
from .negation import AFTERTHOUGHT

_AFTERTHOUGHT = lazy_pattern(
    rf"(?i)(?:[,;:]|\s[-–—]|—)?\s(?:but |and |yet |though |although |only )?(?={AFTERTHOUGHT}\s?(?:$|[.!?\n]))"
)
_CLEFT = lazy_pattern(
    r"(?i)\b(?:it|that)(?:(?: is| was|['’]s)(?P<no> not|n['’]t)?"
    r"|(?P<may> (?:can|could|may|might|must|would) )(?:have been|be))"
    r" (?P<who>(?:[\w'’-]+ ){1,5}?)(?P<link>who|that|which) "
)
_SHORT_FORM = lazy_pattern(r"\b(\w+)['’](?:(m|re)\b|s(?= (?:a|an|the|not|no|in|at|on|my|your|his|her|our|their)\b))")
_LETS = lazy_pattern(r"(?i)\b(let)['’]s\b")
_FULL = {"m": "am", "re": "are"}
_NO_CLEFT = word_list("true false certain sure clear known said time why how when where because so such all not only")
"""Behind "it is", these begin no cleft: "it is true that …"."""
_INDEFINITE = word_list("a an no")
"""Neither do these, before "that": "it is a shame that …"."""
_PRONOUNS = word_list("he she")
_PRONOUN = lazy_pattern(r"(?i)\b(?:he|she)\b")
_ARTICLES = word_list("the a an my your our his her their this that some")
_OPENINGS = CLAUSE_BEGINS | word_list("before after once then now so well yes no oh later yesterday")
"""Words before the subject of a sentence."""
_OF_SUBJECT = 3
"""Words of a subject: "the old priest"."""
_SENTENCE = lazy_pattern(r"[^.!?\n]+[.!?\n]*|[.!?\n]+")
_WORD = lazy_pattern(r"\w+(?:['’]\w+)*|[^\w]")
SOMEBODY = "somebody"
"""Stands for a pronoun that may mean several."""


def paraphrased(text: str, names: Mapping[str, str], before: str = "") -> str:
    """The text in plain clauses.

    `names` maps each name in lower case to a character id. `before` is the text of the message before, if it is known.
    """
    text = _AFTERTHOUGHT.sub(". ", text)
    text = _CLEFT.sub(_without_cleft, _SHORT_FORM.sub(_in_full, text))
    return _with_names(text, names, before) if _PRONOUN.search(text) else text


def in_full(text: str) -> str:
    """The text with "let us" for "let's"."""
    return _LETS.sub(r"\1 us", text)


def _in_full(short: re.Match[str]) -> str:
    """`Bert is` for "Bert's", before what he is."""
    return f"{short[1]} {_FULL.get(short[2], 'is')}"


def _without_cleft(cleft: re.Match[str]) -> str:
    """`Carl ` for "it was Carl who ", and `Carl did not ` for "it was not Carl who "."""
    first, *_ = cleft["who"].casefold().split()
    if first in _NO_CLEFT or (first in _INDEFINITE and cleft["link"].casefold() != "who"):
        return cleft[0]
    who = "I " if first in {"me", "i"} else cleft["who"]
    if cleft["may"]:
        return f"{who}{cleft['may'].strip()} have "
    return who + ("did not " if cleft["no"] else "")


def _with_names(text: str, names: Mapping[str, str], before: str) -> str:
    """The text with a name, or `SOMEBODY`, in place of each "he" and "she"."""
    found: list[str] = []
    last = _Antecedents(names)
    for sentence in _SENTENCE.findall(before):
        last = _Antecedents(names).read(_WORD.findall(sentence)) or last
    for sentence in _SENTENCE.findall(text):
        here = _Antecedents(names)
        for token in _WORD.findall(sentence):
            meant = ((here or last).meant if token.casefold() in _PRONOUNS else "") or token
            here.add(meant)
            found.append(meant)
        last = here or last
    return "".join(found)


class _Antecedents:
    """Those whom a sentence names, as far as it was read. It is false while it names nobody."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._named: dict[str, str] = {}
        self._lead: list[str] = []

    def read(self, tokens: Sequence[str]) -> _Antecedents:
        """This, after these tokens."""
        for each in tokens:
            self.add(each)
        return self

    def add(self, token: str) -> None:
        """Read one more token."""
        word = token.casefold().replace("’", "'").removesuffix("'s")
        if word in self._names:
            self._named[self._names[word]] = token
        if len(self._lead) < _OF_SUBJECT and word[0].isalnum() and (self._lead or word not in _OPENINGS):
            self._lead.append(word)

    @property
    def meant(self) -> str:
        """The one name to which a pronoun can refer, or `SOMEBODY`; nothing if nobody is named."""
        if not self._named:
            return ""
        if len(self._named) != 1 or self._begins_with_another:
            return SOMEBODY
        (name,) = self._named.values()
        return name.replace("’", "'").removesuffix("'s")

    @property
    def _begins_with_another(self) -> bool:
        """Whether its subject is nobody with a name: "the priest met Carl"."""
        return self._lead[:1] != [] and self._lead[0] in _ARTICLES and self._names.keys().isdisjoint(self._lead)

    def __bool__(self) -> bool:
        return bool(self._named)
