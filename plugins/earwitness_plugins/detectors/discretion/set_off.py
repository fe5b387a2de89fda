"""What is set off between asterisks or in a block of its own: a deed, or a thought that nothing calls one.

In most chats asterisks hold deeds: `*smiles* Hello.`. Where deeds stand in plain narration, as in a novel, they hold
what somebody thinks: `"Hello," she said. *The fool.*`. Fail closed: what tells of no deed is a thought there.
"""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from . import inner_prose, languages

_FEW = 2
"""A remark of so many words, such as `deep breath`, is no thought."""
_NO_DEED = (
    r"(?!(?:is|was|has|does|his|this|its|yes|always|perhaps|pls|lets|as|us|thus|plus|less|unless|needs?|(?:no|some|any|every)thing|"
    r"during|indeed|hours|years|days|weeks|minutes|seconds|times|yours|ours|hers|theirs|guys|things|words|thanks?|"
    r"(?:it|that|there|s?he|what)['’]?s)\b)"
)
_VERB = rf"{_NO_DEED}[a-z'’]+(?:s|ing|ed)(?!['’\w])"
"""What looks like a verb. Plurals of nouns do, too."""
_COUNTED = (
    r"(?:not|no|so|too|very|some|many|few|all|these|those|only|one|two|three|four|five|six|seven|eight|nine|ten|twelve|"
    r"hundred|thousand|if|because|since|or|but)\b"
)
"""With it, what looks like a verb behind is the plural of a noun: `nine months`."""
_NO_SUBJECT = rf"(?!{_COUNTED})"
_COUNTS = lazy_pattern(rf"\W*{_COUNTED}", re.IGNORECASE)
_PRONOUN = r"(?:I|he|she|they|it|we)"
_DOES = lazy_pattern(
    rf"""\W*(?:(?:and|then|still|just|now|\w+ly|with\s+an?\s+[\w-]+(?:\s+\w+)?),?\s+)*+
    (?: (?:{_NO_SUBJECT}[\w'’-]+\s+)?{_VERB}
      | (?:every|some|no)(?:one|body)\s+(?:else\s+)?[a-z]+s\b | (?:all|both|most)\s+(?:of\s+)?\w+\s+[a-z]+
      | (?-i:is|does|has|was|cannot|can['’]t|doesn['’]t|isn['’]t|hasn['’]t|doesnt|isnt)\b
      | {_PRONOUN}\s+(?:is|are|am|was|were)\s+\w+ing\b
      | (?:the|an?|my|his|her|their|its)\s+(?:[\w'’-]+\s+){{1,3}}?{_VERB}
      | {_PRONOUN}\s+(?:\w+ly\s+)?{_VERB}
      | (?:{_PRONOUN}|you|there)['’](?:m|s|re)\s+
          (?:an?|two|the|back|out|off|up|down|in|on|at|gone|here|there|already)\b
      | (?:when|as|while|after|before|once)\s+[^,.!?]+,\s+{_PRONOUN}\s+(?:\w+ly\s+)?[a-z]+
      | {_NO_SUBJECT}(?-i:[A-Z])[\w'’-]+(?:\s+(?:and\s+)?(?-i:[A-Z])[\w'’-]+)*\s+(?:\w+ly\s+)?{_VERB} )""",
    re.IGNORECASE | re.VERBOSE,
)
_ABSENT = lazy_pattern(r"\b(?:lost|deep|sunk)\s+in\s+thoughts?\b,?", re.IGNORECASE)
"""What anybody can see of who thinks."""
_ASKS = lazy_pattern(r"[?\uff1f]\W*\Z")
_WHOLE = lazy_pattern(r"\W*[^\W\d_a-z].*[.!?…]\W*\Z", re.DOTALL)
"""A whole sentence."""


def is_thought(text: str, *, among_deeds: bool) -> bool:
    """Whether what stands between asterisks is a thought. `among_deeds` says that deeds are told beside it, bare."""
    return any(_is_inner(text[start:end], among_deeds) for start, end in inner_prose.sentences(text))


def is_deed(text: str) -> bool:
    """Whether all that brackets hold is what somebody does, as in a script: `(He cracks a nut.)`."""
    found = [text[start:end] for start, end in inner_prose.sentences(text)]
    return all(_DOES.match(each) and not inner_prose.tells_of_mind(each) for each in found)


def _is_inner(sentence: str, among_deeds: bool) -> bool:
    sentence = _ABSENT.sub("", sentence)
    if len(sentence.split()) <= _FEW or inner_prose.tells_speech(sentence):
        return False
    does = _DOES.match(sentence) or (inner_prose.does_something(sentence) and not _COUNTS.match(sentence))
    if does and not _ASKS.search(sentence):
        return False
    if inner_prose.tells_of_mind(sentence):
        return True
    return among_deeds and (languages.is_english(sentence) or _WHOLE.match(sentence) is not None)
