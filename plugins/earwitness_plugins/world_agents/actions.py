"""What a text tells that somebody has done: picked up, handed over, lost; and done to others. Pure.

Only what is sure is read: told as an action (`*…*`, prose around quotes, a narrator's words), in the present or past
simple, by somebody whom the sentence names or whose message it is. Whatever may make it unsure, such as a negation, a
condition, a wish or a report, leaves the whole sentence out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character
from earwitness.sentences import sentences

from ..detectors.text.fragments import stretches
from ..detectors.text.names import Names
from ..detectors.text.stretches import Fragment
from .action_words import (
    BODY,
    BOUNDARIES,
    BREAKS_OFF,
    DETERMINERS,
    FICTION,
    FORMS,
    NO_THINGS,
    OTHER_VERBS,
    REPORTS,
    THINGS,
    UNREAL,
    UNSURE,
    Effect,
    Verb,
)

Person = Literal["bare", "first", "third"]
LONGEST = 20_000
"""A message of more characters is not read."""
MOST_WORDS = 6
"""An object of more words is not read."""
_WORD = lazy_pattern(r"[^\W_]+")
_TOKEN = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_POSSESSIVE = lazy_pattern(r"['’]s?(?!\w)")
_NEGATED = lazy_pattern(r"n['’]t\b|['’](?:ll|d)\b", re.IGNORECASE)
_VERB = lazy_pattern(r"[a-z]+(?:[^s]s|ed|ing)\Z")
_DIRECTED = frozenset({"star", "under", "paren", "command"})
_SPLITS = frozenset({",", ";", ":", "—", "–", "and", "then", "but"})
_OPENERS = frozenset({"now", "also", "just", "finally", "still"})
_SMALL = frozenset({"of", "the"})
_PRONOUNS = frozenset({"i", "he", "she"})


@dataclass(frozen=True, slots=True)
class Thing:
    """The object of an action."""

    words: str
    """As the text calls it: `the Sacred Sword`, `Alice's map`."""
    name: str
    """Without its article or owner: `Sacred Sword`."""
    owner: str | None = None
    """Character id of whose it is said to be."""

    @property
    def head(self) -> str:
        """The noun, in small letters: `sword`."""
        return re.split(r"\s+of\s+", self.name)[0].split()[-1].casefold()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that somebody has done."""

    actor: str
    """Character id."""
    past: str
    """What they did: `picked up`."""
    effect: Effect
    """What became of the thing."""
    thing: Thing | None = None
    """What it was done to, if that was a thing."""
    person: str | None = None
    """Whom it was done to, who was given the thing, or whom it was taken from."""
    text: str = ""
    """The stretch of the message that tells it, as written."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A word, a mark, or a name with whom it names."""

    text: str
    id: str | None = None
    possessive: bool = False

    @property
    def word(self) -> str:
        """In small letters; empty for a name."""
        return "" if self.id else self.text.casefold()


_Tokens = Sequence[_Token]


@dataclass(slots=True)
class _Narration:
    """Whose message it is, and who has been named so far."""

    speaker: Character
    names: Names
    known: Collection[str]
    named: set[str]

    @property
    def narrates(self) -> bool:
        return self.speaker.kind == "narrator"

    def meant_by(self, pronoun: str) -> str | None:
        """Whom `I`, `he` or `she` means, where that is sure."""
        if pronoun == "i":
            return None if self.narrates else self.speaker.id
        meant = self.named if self.narrates else self.named | {self.speaker.id}
        if len(meant) != 1:
            return None
        (likely,) = meant
        return likely if self.names.may_be(pronoun, likely) is not False else None

    def person(self, token: _Token, actor: str) -> str | None:
        """Whom a token names besides the actor."""
        named = self.speaker.id if token.word == "me" and not self.narrates else token.id
        return named if named != actor and not token.possessive else None


@dataclass(slots=True)
class _Subject:
    """The subject of the narration, clause by clause."""

    id: str | None
    """Character id; `None` where it is open."""
    person: Person = "bare"
    """How the verb agrees with it."""
    reports: bool = False
    """Whether everything they say is narration, also of what others do."""
    one_of_several: bool = False
    """`Bob and …`: not alone."""


def may_tell_actions(content: str) -> bool:
    """Whether a text holds one of the verbs at all; most do not, and need not be read. Nor is what is very long."""
    return len(content) <= LONGEST and not FORMS.keys().isdisjoint(_WORD.findall(content.lower()))


def actions(content: str, speaker: Character, names: Names, known: Collection[str] = ()) -> tuple[Action, ...]:
    """What a message of this speaker tells that somebody of the cast has done, in order.

    `known` are nouns, in small letters, that mean a thing in this story, such as those of the quest.
    """
    if not may_tell_actions(content):
        return ()
    teller = _Narration(speaker, names, known, set())
    found: list[Action] = []
    for stretch in stretches(content, own=speaker.names, narrator=teller.narrates):
        implied = speaker.id if stretch.mark in _DIRECTED and not teller.narrates else None
        for sentence in _sentences_of_deeds(stretch.fragments):
            found += (replace(action, text=stretch.text) for action in _sentence(sentence, implied, teller))
    return tuple(found)


def _sentences_of_deeds(pieces: Sequence[Fragment]) -> Iterator[str]:
    """The sentences of action text; what is done in a whisper is for those who hear it."""
    whispers = {piece.text for piece in pieces if piece.kind == "whisper"}
    narrated = (piece.text for piece in pieces if piece.kind == "action" and piece.text not in whispers)
    return (sentence for text in narrated for sentence in sentences(text))


def _sentence(sentence: str, implied: str | None, teller: _Narration) -> Iterator[Action]:
    """The actions of one sentence; `implied` is whose they are where no subject stands."""
    tokens = _tokens(sentence, teller.names)
    if not _is_unsure(sentence, tokens):
        yield from _clauses(tokens, _Subject(implied), teller)
    teller.named |= {token.id for token in tokens if token.id}


def _is_unsure(sentence: str, tokens: _Tokens) -> bool:
    words = [token.word for token in tokens]
    in_fiction = any(word in FICTION and "in" in words[max(0, at - 3) : at] for at, word in enumerate(words))
    asked = sentence.rstrip(" \"'”’*_").endswith("?")
    return asked or in_fiction or bool(_NEGATED.search(sentence)) or not UNSURE.isdisjoint(words)


def _clauses(tokens: _Tokens, subject: _Subject, teller: _Narration) -> Iterator[Action]:
    """Clause by clause: one that begins with a verb has the subject of the one before."""
    end = next((at for at, token in enumerate(tokens) if token.word in BREAKS_OFF), len(tokens))
    for splits, clause in groupby(tokens[:end], lambda token: token.word in _SPLITS):
        if splits:
            continue
        rest = _follow(subject, [*clause], teller)
        if subject.id and rest and not subject.one_of_several:
            action = _action(subject.id, subject.person, rest, teller)
            if action:
                yield action
        subject.one_of_several = bool(subject.id) and not rest


def _follow(subject: _Subject, clause: list[_Token], teller: _Narration) -> list[_Token]:
    """Take over a clause's subject; what stands behind it, from the verb on."""
    begin = _without_adverbs(clause)
    bare = begin[1:] if begin and begin[0].word == "the" and len(begin) > 1 and begin[1].id else begin
    first = bare[0] if bare else None
    if first is None:
        return []
    if first.id or first.word in _PRONOUNS:
        named = (None if first.possessive else first.id) if first.id else teller.meant_by(first.word)
        subject.id = named if not subject.reports or named == subject.id else None
        subject.person = "first" if first.word == "i" else "third"
        bare = _without_adverbs(bare[1:])
    elif not _may_be_a_verb(first):
        subject.id = None
    subject.reports = subject.reports or any(token.word in REPORTS for token in bare)
    return bare


def _without_adverbs(clause: list[_Token]) -> list[_Token]:
    at = 0
    while at < len(clause) and (clause[at].word in _OPENERS or clause[at].word.endswith("ly")):
        at += 1
    return clause[at:]


def _may_be_a_verb(token: _Token) -> bool:
    """What begins so goes on with what the subject does, or says how; anything else may be another subject."""
    return token.word in FORMS or token.word in OTHER_VERBS or token.word in BOUNDARIES or bool(_VERB.match(token.word))


def _action(actor: str, person: Person, tokens: _Tokens, teller: _Narration) -> Action | None:
    """What the verb at the beginning does to what follows, if all of that can be read."""
    form = FORMS.get(tokens[0].word)
    if form is None or not getattr(form, person) or any(token.word == "by" for token in tokens):
        return None
    verb, rest = form.verb, tokens[1:]
    if verb.effect == "given":
        return _given(actor, verb, rest, teller)
    if verb.effect == "deed" and rest and (whom := teller.person(rest[0], actor)):
        return Action(actor, verb.past, "deed", person=whom)
    return _done_to_a_thing(actor, verb, rest, teller)


def _done_to_a_thing(actor: str, verb: Verb, rest: _Tokens, teller: _Narration) -> Action | None:
    before = bool(verb.particle and rest and rest[0].word == verb.particle)
    thing, behind = _thing(rest[before:])
    if thing is None or (verb.particle and not before and not (behind and behind[0].word == verb.particle)):
        return None
    if thing.owner not in (None, actor) and thing.head in BODY:
        return Action(actor, verb.past, "deed", thing, thing.owner)
    source = _after(behind, "from", actor, teller) if verb.effect == "acquired" else None
    if not _is_thing(thing, teller, plain=verb.plain or source is not None):
        return None
    return Action(actor, verb.past, verb.effect, thing, source)


def _given(actor: str, verb: Verb, rest: _Tokens, teller: _Narration) -> Action | None:
    """`hands Bob the map`, `hands the map over to Bob`."""
    begin = _without_back(rest)
    whom = teller.person(begin[0], actor) if begin else None
    thing, behind = _thing(_without_back(begin[1:]) if whom else begin)
    whom = whom or _after(_without_back(behind), "to", actor, teller)
    if thing is None or whom is None or not _is_thing(thing, teller, plain=verb.plain):
        return None
    return Action(actor, verb.past, "given", thing, whom)


def _without_back(tokens: _Tokens) -> _Tokens:
    return tokens[1:] if tokens and tokens[0].word in ("back", "over") else tokens


def _after(tokens: _Tokens, preposition: str, actor: str, teller: _Narration) -> str | None:
    """Who is named right behind a preposition."""
    if len(tokens) < 2 or tokens[0].word != preposition:
        return None
    return teller.person(tokens[1], actor)


def _thing(tokens: _Tokens) -> tuple[Thing | None, _Tokens]:
    """The object that the tokens begin with, and what stands behind it."""
    if not tokens or not _begins_an_object(tokens[0]):
        return None, tokens
    first = tokens[0]
    begin = 1 if first.id or first.word in DETERMINERS else 0
    if begin and len(tokens) > begin and tokens[begin].word == "own":
        begin += 1
    end = next((at for at in range(begin, len(tokens)) if _ends_an_object(tokens[at])), len(tokens))
    words = [token.text for token in tokens[begin:end]]
    if not words or len(words) > MOST_WORDS or any(token.id for token in tokens[begin : end + 1]):
        return None, tokens
    name = " ".join(words)
    return Thing(_with_article(first, name) if begin else name, name, first.id), tokens[end:]


def _begins_an_object(token: _Token) -> bool:
    """An article, an owner, or the thing's own name: `Excalibur`."""
    return token.possessive if token.id else token.word in DETERMINERS or token.text[:1].isupper()


def _ends_an_object(token: _Token) -> bool:
    return token.word != "of" and (
        not token.text[:1].isalnum()
        or token.word in BOUNDARIES
        or (token.word.endswith("ly") and token.word != "jelly")
    )


def _with_article(first: _Token, name: str) -> str:
    """`my map` is `the map` when others tell of it."""
    if first.id:
        return f"{first.text}'s {name}"
    article = first.word if first.word in ("a", "an", "some", "another") else "the"
    return f"{article} {name}"


def _is_thing(thing: Thing, teller: _Narration, *, plain: bool) -> bool:
    """Nothing one has in words alone; and where the verb leaves it open, what is known to be a thing."""
    if thing.head in NO_THINGS or not UNREAL.isdisjoint(thing.name.casefold().split()):
        return False
    return plain or thing.head in THINGS or thing.head in teller.known or _is_a_name(thing)


def _is_a_name(thing: Thing) -> bool:
    """`the Sacred Sword`, but neither `the King hostage` nor `Monday`."""
    words = [word for word in thing.name.split() if word not in _SMALL]
    return thing.words != thing.name and len(words) > 1 and all(word[:1].isupper() for word in words)


def _tokens(sentence: str, names: Names) -> list[_Token]:
    """The words and marks of a sentence; a word that names several people is a word like any other."""
    found = names.find(sentence)
    starts = [mention.start for mention in found]
    tokens: list[_Token] = []
    at = 0
    for mention in (each for each in found if starts.count(each.start) == 1):
        tokens += _plain_tokens(sentence[at : mention.start])
        tokens.append(_Token(sentence[mention.start : mention.end], mention.id, mention.possessive))
        owned = _POSSESSIVE.match(sentence, mention.end)
        at = owned.end() if owned and mention.possessive else mention.end
    return tokens + _plain_tokens(sentence[at:])


def _plain_tokens(text: str) -> list[_Token]:
    return [_Token(match[0]) for match in _TOKEN.finditer(text)]
