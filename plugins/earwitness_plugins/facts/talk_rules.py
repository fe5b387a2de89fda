"""The plainest things that people say of themselves, as patterns: English, German, French, Spanish."""

from __future__ import annotations

import re
from dataclasses import dataclass

from earwitness.patterns import lazy_pattern

NAME = r"(?P<it>[^\W\d_a-zà-öø-ÿ][\w'’-]*(?: [^\W\d_a-zà-öø-ÿ][\w'’-]*){0,2})$"
"""One to three words with capital letters, and nothing behind them."""
_CAPITAL = r"[^\W\d_a-zà-öø-ÿ][\w'’.-]*"
_MORE = rf"(?:,? (?:(?:of|upon|on|am|an|de|del|sur|the|la) )*{_CAPITAL}){{0,3}}"
PLACE = rf"(?P<it>(?:(?:the|la|el|der|den) )?{_CAPITAL}{_MORE})$"
"""Words with capital letters, joined as in `Stoke on Trent, England`."""
THING = r"(?P<it>[\w#+'’-][\w #+'’./-]{0,58}?)$"
DATE = r"(?P<it>(?=.*\d)[\w .,'’/-]{1,30}?)$"
AGE = r"(?P<it>1?\d\d)"
REALLY = r"(?:really |absolutely |just |so |also )*"


@dataclass(frozen=True, slots=True)
class TalkRule:
    """One plain way of saying one thing."""

    about: str
    """What the fact is about."""
    pattern: re.Pattern[str]
    """Matches from the beginning of a clause to its end; the group `it` is the value."""
    wording: str
    """The fact as a sentence, with `{who}` and `{it}`."""
    now: str = ""
    """The same of a fact that has changed; empty where it never does."""
    confidence: float = 0.9
    """How sure it is that this was meant."""


def _rule(about: str, regex: str, wording: str, now: str = "", confidence: float = 0.9) -> TalkRule:
    return TalkRule(about, lazy_pattern(regex), wording, now, confidence)


ENGLISH = (
    _rule("name", rf"(?i:my name is|my name[’']s|call me|you can call me) {NAME}", "{who} goes by the name {it}."),
    _rule("name", rf"I(?:[’']m| am) {NAME}", "{who} goes by the name {it}.", confidence=0.7),
    _rule(
        "learning",
        rf"(?i:I(?:[’']m| am) (?:also |now |currently )*(?:learning|studying)) {THING}",
        "{who} is learning {it}.",
    ),
    _rule(
        "home",
        rf"(?i:I (?:now |currently )*live in|I(?:[’']m| am) living in|I(?:[’']ve| have)? (?:just )?moved to) {PLACE}",
        "{who} lives in {it}.",
        "{who} now lives in {it}.",
    ),
    _rule("origin", rf"(?i:I(?:[’']m| am| come)(?: originally)? from) {PLACE}", "{who} comes from {it}."),
    _rule(
        "birthday",
        rf"(?i:my birthday(?: is|[’']s)(?: on)?) {DATE}",
        "{who}'s birthday is {it}.",
        "{who}'s birthday is {it}, as {who} says now.",
    ),
    _rule(
        "age", rf"(?i:I(?:[’']m| am) {AGE}(?: years old)?)$", "{who} is {it} years old.", "{who} is now {it} years old."
    ),
    _rule(
        "work",
        rf"(?i:I (?:now )?work as an?|I(?:[’']m| am) (?:now )?working as an?) {THING}",
        "{who} works as {it}.",
        "{who} now works as {it}.",
    ),
    _rule("loves", rf"(?i:I {REALLY}(?:love|adore)) {THING}", "{who} loves {it}.", "{who} now loves {it}."),
    _rule("hates", rf"(?i:I {REALLY}hate) {THING}", "{who} hates {it}.", "{who} now hates {it}."),
)
GERMAN = (
    _rule("name", rf"(?i:ich hei(?:ß|ss)e|mein Name ist|nennt? mich) {NAME}", "{who} nennt sich {it}."),
    _rule("learning", rf"(?i:ich lerne(?: gerade| jetzt)?) {THING}", "{who} lernt {it}."),
    _rule(
        "home",
        rf"(?i:ich (?:wohne|lebe)(?: jetzt)? in) {PLACE}",
        "{who} wohnt in {it}.",
        "{who} wohnt jetzt in {it}.",
    ),
    _rule(
        "home",
        rf"(?i:ich bin nach) {PLACE.replace('$', ' gezogen$')}",
        "{who} wohnt in {it}.",
        "{who} wohnt jetzt in {it}.",
    ),
    _rule("origin", rf"(?i:ich komme aus) {PLACE}", "{who} kommt aus {it}."),
    _rule(
        "birthday",
        rf"(?i:mein Geburtstag ist(?: am)?|ich habe am) {DATE.replace('$', '(?: Geburtstag)?$')}",
        "{who} hat Geburtstag: {it}.",
        "{who} hat Geburtstag: {it}, wie {who} jetzt sagt.",
    ),
    _rule(
        "age", rf"(?i:ich bin {AGE}(?: Jahre alt)?)$", "{who} ist {it} Jahre alt.", "{who} ist jetzt {it} Jahre alt."
    ),
    _rule(
        "work",
        rf"(?i:ich arbeite(?: jetzt)? als) {THING}",
        "{who} arbeitet als {it}.",
        "{who} arbeitet jetzt als {it}.",
    ),
    _rule("loves", rf"(?i:ich liebe) {THING}", "{who} liebt {it}.", "{who} liebt jetzt {it}."),
    _rule("hates", rf"(?i:ich hasse) {THING}", "{who} hasst {it}.", "{who} hasst jetzt {it}."),
)
FRENCH = (
    _rule("name", rf"(?i:je m[’']appelle|mon nom est|appelle[sz]?-moi|appelez-moi) {NAME}", "{who} s'appelle {it}."),
    _rule("learning", rf"(?i:j[’']apprends) {THING}", "{who} apprend {it}."),
    _rule("home", rf"(?i:j[’']habite (?:à|en|au)) {PLACE}", "{who} habite : {it}.", "{who} habite maintenant : {it}."),
    _rule("age", rf"(?i:j[’']ai {AGE} ans)$", "{who} a {it} ans.", "{who} a maintenant {it} ans."),
    _rule("loves", rf"(?i:j[’']adore) {THING}", "{who} adore {it}."),
)
SPANISH = (
    _rule("name", rf"(?i:(?:yo )?me llamo|mi nombre es|ll[aá]mame) {NAME}", "{who} se llama {it}."),
    _rule("learning", rf"(?i:(?:yo )?estoy aprendiendo) {THING}", "{who} está aprendiendo {it}."),
    _rule("home", rf"(?i:(?:yo )?vivo en) {PLACE}", "{who} vive en {it}.", "{who} vive ahora en {it}."),
    _rule("age", rf"(?i:(?:yo )?tengo {AGE} años)$", "{who} tiene {it} años.", "{who} tiene ahora {it} años."),
    _rule("loves", rf"(?i:me encantan?) {THING}", "A {who} le gusta {it}."),
)
RULES = (*ENGLISH, *GERMAN, *FRENCH, *SPANISH)
