"""The English of coming and going: the patterns that `movements` reads by. General usage, no corpus's."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern


def _words(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(pattern, re.IGNORECASE | re.VERBOSE)


def _rare(pattern: str) -> re.Pattern[str]:
    return guarded_pattern(pattern, re.IGNORECASE | re.VERBOSE)


_GAIT = r"""(?:
    comes?|came|gets?|got|walks?|walked|steps?|stepped|strides?|strode|runs?|ran|bursts?|rush(?:es|ed)?|strolls?|strolled|
    wanders?|wandered|slips?|slipped|sneaks?|sneaked|snuck|storms?|stormed|march(?:es|ed)?|stumbles?|stumbled|
    hurr(?:y|ies|ied)|heads?|headed|go(?:es)?|went|dash(?:es|ed)?|creeps?|crept|limps?|limped|rides?|rode|climbs?|climbed|
    stalks?|stalked)"""
_TAKES = r"""(?:leads?|led|takes?|took|drags?|dragged|carr(?:y|ies|ied)|escorts?|escorted|walks?|walked
    |(?P<sends>ushers?|ushered|sends?|sent|throws?|threw|kicks?|kicked|drives?|drove|chases?|chased))"""
_ADVERBS = r"(?:\s+(?:\w+ly|back|right|straight|then|now|once\s+more|again))*"
_ELSEWHERE = r"""(?:kitchen|cellar|pantry|hall|hallway|corridor|garden|\w*yard|street|alley|woods?|forest|cave|tower|
    castle|barn|stables?|attic|basement|library|office|market|temple|church|chapel|dungeon|crypt|bathroom|bedroom|restroom|
    toilet|garage|cottage|palace|park|harbou?r|station|school|hospital|village|town|city)"""
_CLOSED = r"(?=\s*(?:[.,;:!?—–)]|\Z))"

ENTER = _rare(
    rf"""
      \b(?:re-?)?enter(?:s|ed)?\b (?!\s+(?:into\s+an?|a\s+(?:trance|rage|contract))\b)
    | \b{_GAIT}{_ADVERBS}\s+(?:in|inside|into)\b
          (?!\s+(?:his|her|their|my|an?|circles?|tears|laughter|view|front|silence|pain|time|turn|surprise)\b)
    | \b{_GAIT}{_ADVERBS}\s+(?:(?:over|down|up|across)\s+)?to\b
          (?=\s+(?:the|his|her|their|my|our)\s+(?:\w+\s+)?{_ELSEWHERE}\b)
    | \b(?:arrives?|arrived)\b
    | \b(?:returns?|returned|comes?\s+back|came\s+back|is\s+back|are\s+back){_ADVERBS}
          (?:{_CLOSED}|(?=\s+(?:to\s+the|from|with|and|in|inside|carrying|bearing)\b))
    | \b(?:joins?|joined)\s+(?:us|them|the\s+(?:group|others|party|conversation|table|circle|company))\b
    | \b(?:joins?|joined)\s+(?-i:[A-Z]) (?=[\w\s,'’-]{{1,60}}\b(?:at|for|over|by|around|in|on)\b)
    | \b(?:shows?|showed)\s+up\b
    | \b(?:appears?|appeared)(?:(?=\s*(?:[.,;!]|\Z))|(?=\s+(?:in\s+the|at\s+the|from|through|beside|on\s+the)\b))
    | \b(?:is|are|was|were)\s+(?:(?:alone|together|both|all)\s+)?(?:in|at|inside)
          (?=\s+the\s+(?!(?:other|next|far|opposite|adjoining|neighbou?ring|middle|midst|way|mood|wrong|right|lead|dark|know|end|
          process|habit|business|grip|throes|same|first|last|top|bottom|back(?!\s+(?:yard|garden|room|office|alley|porch|kitchen|street)\b)|centre|center|heart|mercy|ready|verge)\b))
    | \b(?:is|are|was|were)\s+(?:led|brought|carried|dragged|shown|ushered)\s+in\b
    """
)
LEAVE = _rare(
    rf"""
      \b(?:exits?|exited|exeunt|departs?|departed)\b
    | \b(?:leaves?|(?<=\w\s)left){_ADVERBS}
          (?:{_CLOSED}
          |(?=\s+(?:with|through|by|via|for|together|without|at\s+once|and|in\s+a|to|but|except|save|one\s+by\s+one)\b)
          |(?=\s+(?:the|this)\s+(?:[\w'’-]+\s+)?(?:room|scene|stage|hall|house|building|tavern|inn|place|party|table|group|
              camp|shop|kitchen|cellar|garden|village|town|city|castle|ship|office|bar|chamber|area|premises|conversation|
              flat|apartment|(?:night)?club|suite|hotel|motel|restaurant|pub|caf[eé]|diner|gym|theat(?:re|er)|cinema|mansion|
              others)\b))
    | \b(?!c[oa]me){_GAIT}{_ADVERBS}\s+(?:outside|off|away|upstairs|downstairs|home
          |(?<!gets\s)(?<!get\s)(?<!got\s)out\b(?!\s+(?:laughing|crying|sobbing))(?!\s+of\s+(?!(?:the|his|her|their|here|sight|doors|there)\b)))\b
    | \b(?:gets?|got)\s+out\b (?:{_CLOSED}|(?=\s+(?:and|by|through|as|again)\b)|(?=\s+of\s+(?:the|here|there)\b))
    | \b(?:drives?|drove|flies|flew|sails?|sailed)\s+(?:off|away|home)
          (?:{_CLOSED}|(?=\s+(?:with|and|in|into|to|from)\b))
    | \b(?:flees?|fled)\b
    | \b(?:vanish(?:es|ed)?|disappears?|disappeared)\b(?!\s+(?:behind|into|under|in|inside|beneath)\s+(?:\w+\s+){{1,2}}
          (?:newspapers?|papers?|books?|menu|hands?|hair|scarf|hood|blankets?|collar|glass|cup|mug|phone|laptop|screen|
          thoughts|work|magazine|fan|mask|sunglasses|pillow|embrace|sweater|coat|beard|clipboard|smile)\b)
    | \b(?:takes?|took)\s+(?:my|his|her|their)\s+leave\b
    | \b(?:withdraws?|withdrew|retires?|retired)\b
          (?:{_CLOSED}|(?=\s+(?:with|for\s+the\s+(?:night|evening)|from\s+the\s+(?:room|hall|scene|table|chamber)
          |to(?!\s+\w+\s+(?:corner|back|side|window|fire|far|other|shadows)))\b))
    | \b(?:(?:excuses?|excused)\s+(?:him|her|them|my)sel(?:f|ves)|(?:bows|bowed)\s+out
          |(?:makes?|made)\s+(?:my|his|her|their)\s+exit
          |(?:quits?|quitted)\s+the\s+(?:room|hall|scene|house|place)|(?:goes|go|went)\s+to\s+bed)\b
    | \b(?:is|are)\s+gone\b
    | \b(?:follows?|followed)\s+(?:[\w'’-]+\s+){{1,3}}?(?:out|off|away|outside|upstairs|downstairs)\b
    | \b{_TAKES}\s+(?P<taken>(?:[\w'’-]+\s+){{1,3}}?)(?:out|off|away|outside|upstairs|downstairs)\b
    | \b(?:is|are|was|were)\s+(?:led|taken|carried|dragged|escorted|thrown|sent)\s+(?:off|away|out)\b
    """
)
SURE = _words(r"(?:re-?)?enter|is|are|was|were|arrive")
ENTER_DIRECTION = _rare(r"\A\W*here\s+enters?\b|(?:\A|[,:;—–(\[]|\b(?:then|and)\b)[\s(\[]*(?:re-?)?enter(?=[\s,:])")
EXIT_DIRECTION = _words(r"[\W_]*(?:then\W+)?(?:exit|exeunt)\b")

OTHERS = _words(
    r"\b(?:(?:the\s+)?(?:others|rest)|(?:everyone|everybody|all)\s+else)(?:\s+of\s+(?:them|us|the\s+\w+))?\W*(?:\w+ly\s+|all\s+|then\s+)*\Z"
)
ONLY = _rare(
    r"\b(?:only|nobody\s+but|no\s+one\s+but|none\s+but)\s+(?P<who>[^.;]{0,200}?)\s+"
    r"(?:remains?|stays?|remained|stayed|(?:is|are)\s+left)\b(?=\s*(?:[.,;!]|\Z)|\s+(?:in|behind|here|with|at|alone)\b)"
    r"|\bleaving\s+only\s+(?P<left>[^.;]+)"
)
FOLLOWS = _rare(rf"\b(?:follows?|followed)\b(?:\s+(?:him|her|them|me|suit|after|behind))*{_CLOSED}")
REMAIN = _rare(r"\b(?:remains?|stays?|remained|stayed|manet|manent)\b")
EVERYBODY = _words(
    r"\W*(?:(?:then|and|now|finally|(?:at|in|by|on|towards?|the\s+next)\s[^,.;]{1,24}?)[\s,]+)?"
    r"(?:they\s+)?(?:all|everyone|everybody)\b(?!\s+(?:at\s+once|of\s+a\s+sudden|else)\b)"
)
ALL_BUT = _words(r"\b(?:all|everyone|everybody)\s+(?:but|except|save)\b")
BUT = _words(r"\b(?:but|except(?:ing)?|save)\b")
THEY = _words(
    r"\W*(?:(?:then|and|now|as|while|when)\s+)?(?:they|(?P<two>both(?:\s+of\s+them)?|the\s+(?:two|pair)(?:\s+of\s+them)?))\b"
)
ONE = _words(r"\W*(?:(?:then|and|now|as|while|when)\s+)?(?P<one>he|she|i)\b")
OMITTED = _words(r"\W*(?:(?:then|and|but|now|\w+ly)\W+)*\Z")
THING_LEADS = _words(
    r"\W*(?:(?:and|then|but)\s+)?(?:the|an?|every|all\s+the)\s+(?:[\w'’-]+\s+)?"
    r"(?:lamps?|lights?|fires?|candles?|lanterns?|torch(?:es)?|flames?|stove|bulbs?|screens?|power|cigarettes?|cigar|pipe|match|sun|moon|"
    r"stars?|tide|engine|radio|music|sounds?|noise|smoke|wind|rain|smile)\b"
)
"""A sentence that opens so is about a thing: `The lamp flickered and went out.`"""
CARRIED_ON = _words(r"(?:,|\b(?:and|then|but)\b)[\s,]*(?:then\s+)?(?:\w+ly\s+)?\Z")
NOT_FINITE = _words(
    r"\b(?:is|are|was|were|be|been|being|to|not|never|nor|don't|didn't|doesn't|cannot|can't|won't|wouldn't|couldn't|would|could|should|might|may|must|can|"
    r"will|shall|(?:would|could|should|will)\s+(?:just|simply|soon|only|now)|the|an?|no|(?:turn|look|glance|veer|point|lean|bear|swing)(?:s|ed)?|almost|nearly|who|nobody|without|his|her|their|its)\s+(?:\w+ly\s+)?\Z"
)
UNREAL = _words(r"\b(?:if|unless|until|till|before|as\s+(?:if|though)|whether|nobody|no\s+one|neither)\b")
REPORTED = _words(
    r"\b(?:says?|said|claims?|claimed|thinks?|thought|hopes?|hoped|imagines?|imagined|dreams?|dreamt|dreamed|believes?|"
    r"believed|knows?|knew|remembers?|remembered|wish(?:es|ed)?|swears?|swore|hears?|heard|announc(?:es|ed)|reports?|"
    r"reported|tells?|told(?:\s+\w+)?|expects?|expected|fears?|feared|waits?\s+for|waited\s+for)(?:\s+that)?\s+(?:the\s+)?\Z"
)
CLAUSE = _words(r"[,;:—–]|\b(?:while|as|when|whereupon|where|and|but)\b")
SUBJECT_LEADS = _words(
    r"\W*(?:(?:and|then|but|so|the|his|her|their|an?|old|young|poor|brave|good|first|second|third|both|now|here|even|"
    r"also|\w+ly)\W+)*+\Z"  # `only` is one of `\w+ly`: a word that fits twice would be tried twice, and so on
)
ALONG = _words(
    r"\W*(?:including|along\s+with|together\s+with|with|followed\s+by|accompanied\s+by|pursued\s+by)\s+(?:\w+\s+)?\Z"
)
WITH = _words(
    r"(?:[^.,;]{0,40},?\s)?(?:with|followed\s+by|accompanied\s+by|attended\s+by|along\s+with|and)\s+(?:the\s+|his\s+|her\s+)?\Z"
)
NOT_ENTERING = _words(
    r"\b(?:of|from|like|about|against|behind|reading|for|toward|towards|meeting|seeking|at|near)\s+"
    r"(?:the\s+|his\s+|her\s+)?\Z"
)
PLACE = _words(
    r"\s*(?:(?:into|inside|in|to|at)\s+)?(?:the|an?|his|her|their|my|our)\s+"
    r"(?P<place>[\w'’-]+(?:\s+(?!(?:and|with|in|at|to|from|as|while|but|carrying|where|when|through|on|by)\b)[\w'’-]+)?)"
)

PLACE_NOUN = _words(
    r"(?:\b|_)(?:\w*room|kitchen|cellar|pantry|hall|hallway|corridor|garden|\w*yard|street|alley|woods?|forest|cave|tower|castle|"
    r"house|hut|barn|stables?|attic|basement|library|office|study|shop|market|temple|church|chapel|dungeon|crypt|tunnel|"
    r"tent|cabin|ship|boat|deck|fields?|meadow|village|town|city|inn|tavern|bar|pub|balcony|terrace|porch|patio|garage|"
    r"closet|workshop|den|lair|cottage|palace|park|square|harbou?r|station|school|hospital|café|cafe|restaurant)\Z"
)
