"""The English of stage directions. General usage of the theatre, no corpus's."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
}
COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "another": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "both": 2,
}
NO_NAMES = _set(
    """
    the of and de du la le von van a an his her their its with to in on at by from for as all young old little
    first second third fourth fifth sixth seventh eighth ninth two three four five six seven eight several certain
    divers some many few more other another mr mrs ms mister vi iv ii iii or both she he they then again one same
    x train
    """
)
TITLES = _set(
    """
    king queen prince princess duke duchess earl count countess baron baroness lord lady captain doctor dr sir
    professor general colonel major sergeant lieutenant commander admiral bishop archbishop cardinal friar judge
    justice mayor sheriff marquess marquis don signior signor master mistress emperor empress constable knight saint
    """
)
KINDS = _set(
    """
    soldier servant servingman servingwoman attendant lord lady gentleman gentlewoman officer guard messenger citizen
    senator watchman watch plebeian commoner sailor mariner musician player knight page courtier noble patrician tribune
    aedile lictor herald ambassador murderer witch fairy spirit ghost fisherman pirate outlaw bandit thief huntsman
    forester friend guest stranger merchant monk nun friar priest priestess bishop judge counsellor councillor captain
    drummer trumpeter torchbearer halberd drawer beadle groom porter clerk jailer keeper gamekeeper warder shepherd
    peasant villager townsman follower kinsman conspirator petitioner suppliant suitor creditor reveler masker dancer
    singer child boy girl man woman maid maiden nymph reaper carrier traveler scout sentinel sentry rebel mutineer
    apparition shape goblin elf dwarf other people company army force power troop crew retinue train host scholar
    student nurse neighbor neighbour rabble mob crowd multitude townsfolk state thane englishman frenchman roman
    trojan greek volsce volscian myrmidon yeoman squire footman usher butler cook gardener gravedigger executioner
    headsman doctor lawyer notary secretary steward chamberlain alderman general
    """
)
COLLECTIVE = _set(
    """
    train army forces force power powers troops retinue company crew mob rabble crowd multitude people others rest
    watch guard state court host colors colours etc followers
    """
)
COMMON = KINDS | COLLECTIVE | _set("body head hand torch torches drum trumpet letter sword door doors stage")
ALIKE = (
    _set("soldier army force power troop host colors colour color drum englishman frenchman"),
    _set("guard halberd officer watch"),
    _set("attendant train follower retinue company other etc servant lord gentleman rest court"),
    _set("citizen plebeian people commoner rabble mob crowd multitude townsman"),
    _set("senator patrician noble state"),
    _set("watch watchman"),
    _set("servant servingman"),
)
VAGUE = _set("other train etc follower company rest attendant retinue attended")
ANYBODY = _set("other train etc company rest")

ENTER = lazy_pattern(r"\b(?:re-?)?enter\b", re.IGNORECASE)
STOP = lazy_pattern(r"(?<!\bDr)(?<!\betc)(?<!\bSt)(?<!\bMr)(?<!Mrs)[.](?=\s|\Z)|\Z")
_COME = r"""(?:(?:re-?)?enters|comes?\s+(?:in|on|on\s+stage)|returns?|appears?|descends?|arrives?|
    meets?(?:\s+(?:them|him|her))?|(?:is|are)\s+(?:discovered|(?:brought|led|carried|borne)\s+(?:in|on|forth))|(?:brought|borne|led)\s+(?:in|on|out|forth))"""
COMES = lazy_pattern(rf"\b{_COME}\b(?!\s+(?:to\s+the|his|her|it|them|him)\b)", re.IGNORECASE | re.VERBOSE)
GOES = lazy_pattern(
    r"""\b(?:exits?|exeunt|departs?|leaves?(?:\s+the\s+stage)?(?=\s*[.,;]|\s*\Z|\s+the\s+stage|\s+with)|vanish(?:es)?|
    goes\s+(?:out|off|in|away)|go\s+(?:out|off|in|away)|(?:runs?|flees?|slips?|steals?|rush(?:es)?)\s+(?:away|off|out)|
    (?:is|are)\s+(?:carried|led|borne|taken|dragged|driven|conveyed)\s+(?:off|away|out))\b""",
    re.IGNORECASE | re.VERBOSE,
)
CARRIES_OFF = lazy_pattern(
    r"\b(?:carr(?:y|ies|ying)|bear(?:s|ing)?|lead(?:s|ing)?|tak(?:es?|ing)|drag(?:s|ging)?)\s+(?:off|away|out)\s+(?P<whom>[^.,;]+)",
    re.IGNORECASE,
)
ATTEMPT = lazy_pattern(
    r"\b(?:begins?|starts?|offers?|attempts?|tries|about|going|moves?|as\s+if|turns?|prepares?|seems?|wants?|ready)\s+to\s+\Z"
    r"|\b(?:as|does\s+not|do\s+not|not)\s+\Z",
    re.IGNORECASE,
)
REMAINS = lazy_pattern(r"\b(?:remains?|stays?|manet|manent|lingers?)\b", re.IGNORECASE)
ALL_BUT = lazy_pattern(
    r"\b(?:(?:but|except(?:ing)?|save)(?:\s+for)?|leaving)\s+(?P<who>[^.;]*?)(?=\s+(?:exits?|exeunt|go|leave|depart)\b|[.;]|\Z)",
    re.IGNORECASE,
)
EVERYBODY = lazy_pattern(r"\b(?:they|all|everyone|everybody|both|exeunt)\b", re.IGNORECASE)
OTHERS = lazy_pattern(r"\b(?:the\s+)?(?:others|rest)\b", re.IGNORECASE)
SOME = lazy_pattern(r"\bsome(?!\s+of)\b|\bcertain\b|\bsome\s+of\s+", re.IGNORECASE)
HE = lazy_pattern(r"\A\W*(?:(?:then|and)\b\W*)*(?:(?P<one>he|she)\b|\Z)", re.IGNORECASE)
EPITHET = lazy_pattern(r"\W*(?:[Tt]he\s+)?[A-Z]\w+\s*\Z")
THEY = lazy_pattern(r"\b(?:they|all)\W*\Z", re.IGNORECASE)
WITH = lazy_pattern(
    r"\b(?:with|followed\s+by|accompanied\s+by|led\s+by|attended\s+by|including|bearing|carrying)\b(?P<who>.*)",
    re.IGNORECASE,
)
HERE = lazy_pattern(r"\A\W*(?:here|then|and)?\W*\Z", re.IGNORECASE)
OMITTED = lazy_pattern(r"\A\W*(?:(?:then|and|at\s+once|again|soon|immediately|presently)\W*)+\Z", re.IGNORECASE)
ATTENDED = lazy_pattern(
    r"\b(?:(?:accompanied|followed|attended)\s+by|comes?\b.{0,30}?\bafter(?:\s+all)?)\s(?P<who>[^.]*)", re.IGNORECASE
)
ATTENDING = lazy_pattern(r"\b(?:is|are)\s+(?:in\s+attendance|attending|present|discovered|seated)\b", re.IGNORECASE)
RELATION = lazy_pattern(
    r",?\s*\b(?:an?\s+|his\s+|her\s+|the\s+)?"
    r"(?:wife|husband|sister|brother|son|daughter|father|mother|servant|man|friend)s?\s+(?:to|of)\s+"
    r"(?:the\s+)?[A-Z][\w’']*(?:\s+of\s+[A-Z]\w*)?"
)
APART = lazy_pattern(
    r"""\b(?:wearing|bearing|carrying|disguised|dressed|like|reading|playing|running|fighting|weeping|singing|holding|
    leading|driving|pursuing|chasing|cursing|bringing|drawing|in\s+(?:his|her|their|a|the)|as\s+[A-Za-z]|
    at\s+(?:a|several|one|the)|before\s|through\s|toward|on\s+the|upon|above|below|aloft|within|invisible|
    (?:his|her|their)\s+(?:head|face|hands?)|with\s+(?:an?|the|many|his|her|their)\s+(?:[a-z]+\s+){0,2}
    (?:letters?|torch(?:es)?|lantern|swords?|book|bag|basket|box|papers?|bills?|lights?|crown|knife|daggers?|drawn|money|rope|
    flowers|scaling|dog|heads?|bod(?:y|ies)|corse|tapers|lute|lutes|sacks?)|torches|lights|severally|half|sick|wounded|masked|armed|again)\b""",
    re.IGNORECASE | re.VERBOSE,
)
SPLIT = lazy_pattern(
    r"""\s*(?:[,;:()\[\]—–]|\b(?:and(?:\s+then)?|then|with|followed\s+by|accompanied\s+by|attended\s+by|including|
    meeting|guarding|guarded\s+by|to\s+(?:him|her|them)|to|led\s+by|after\s+(?:him|her|them)|being|pursued\s+by|chased\s+by|driving|leading|bringing(?:\s+(?:in|forth|on))?)\b)[\s,]*""",
    re.IGNORECASE | re.VERBOSE,
)
BODY = lazy_pattern(
    r"['’]s?\s+(?:dead\s+)?bod(?:y|ies)\b|\b(?:the\s+)?(?:bod(?:y|ies)|corse|corpse)\s+of\b", re.IGNORECASE
)
UNSEEN = lazy_pattern(r"\A\W*(?:(?:[\w’' ]+\s)?within|beneath|offstage|off)\W*\Z", re.IGNORECASE)
DIRECTION = lazy_pattern(
    r"\b(?:(?:[Rr]e-?)?[Ee]nter(?!\s+(?:at\s+your|if|only)\b)[\s,]|Exit\b|Exeunt\b|Manet\b|(?P<here>Here)\s+enters?\b)"
)
OPENS = lazy_pattern(r"\A\W*\Z")
LEADS = lazy_pattern(r"(?:[.!,;]\s|\bthen\s|\band\s|\bonstage,\s)\W*\Z")
