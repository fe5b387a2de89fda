"""The English of telling a thought: the patterns that `thoughts` reads by. General usage, no corpus's."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern

SELF = r"(?:my|him|her|it|one|your)self|themselves|ourselves"
_THINK = (
    r"(?:think(?:s|ing)?|thought|wonder(?:s|ed|ing)?|ponder(?:s|ed|ing)?|mus(?:es?|ed|ing)|daydream(?:s|ed|ing)?|"
    r"reali[sz](?:es?|ed|ing)|conclud(?:es?|ed|ing)|reflect(?:s|ed|ing)?(?!\s+(?:off|in|from|the|light)\b))"
)
_KNOW = (
    r"(?:hop(?:es?|ed|ing)|believ(?:es?|ed|ing)|know(?:s|ing)?|knew|suspect(?:s|ed|ing)?|fear(?:s|ed|ing)?|"
    r"wish(?:es|ed|ing)?|doubt(?:s|ed|ing)?|suppos(?:es?|ed|ing)|guess(?:es|ed|ing)?|understand(?:s|ing)?|understood|"
    r"recall(?:s|ed|ing)?|figur(?:es?|ed)|reason(?:s|ed)|not(?:es|ed)|decid(?:es?|ed)|remember(?:s|ed|ing)?|"
    r"consider(?:s|ed|ing)?)"
)
_SAY = (
    r"(?:tells?|told|reminds?|reminded|asks?|asked|says?|said|promis(?:es?|ed)|warn(?:s|ed)?|scold(?:s|ed)?|"
    r"add(?:s|ed)?|assur(?:es?|ed)|vow(?:s|ed)?|curs(?:es?|ed)|repeat(?:s|ed)?)"
)
_CRY = (
    r"(?:said|says?|add(?:s|ed)?|pray(?:s|ed)?|beg(?:s|ged)?|curs(?:es?|ed)|scream(?:s|ed|ing)?|cr(?:y|ies|ied)|"
    r"will(?:s|ed)|vow(?:s|ed)?|plead(?:s|ed)?|count(?:s|ed)?|thank(?:s|ed)?|groan(?:s|ed)?|ask(?:s|ed)?|urg(?:es?|ed))"
)
_CLAUSE = r"(?:that|whether|if|how|why|what|who|where|when|of|about)"
_NO_GESTURE = (
    r"(?!\s+(?:aloud|out\s+loud|for\s+(?:a|an|it|him|her|my|one|them)\b|about\s+it\b|"
    r"it\s+(?:over(?!\s+and\s+over)|through)\b|hard\b|carefully\b|briefly\b|twice\b|better\s+of\b|nothing\s+of\b|"
    r"a\s+(?:moment|second|bit|while|minute|beat)\b))"
)
_BEFORE_NOUN = (
    "in",
    "a",
    "the",
    "your",
    "some",
    "any",
    "no",
    "much",
    "second",
    "deep",
    "good",
    "quick",
    "happy",
    "without",
)
_NO_NOUN = "".join(rf"(?<!\b{word}\s)" for word in (*_BEFORE_NOUN, "for", "of"))
_CLAUSE_ENDS = r"""(?=\s*(?:[.,;:!?…—–*_~"“”'’)<\]]|\Z|-))"""
_NAME = r"(?-i:[A-Z])[\w'’.-]+(?:\s+(?-i:[A-Z])[\w'’-]+){0,3}"
_SUBJECT = rf"(?:I|he|she|they|it|we|(?:the|my|his|her|a|an|old|poor)\s+[\w'’-]+|{_NAME})"
_IN_HEAD = r"in\s+(?:my|his|her|their)\s+(?:own\s+)?(?:head|mind|heart|thoughts)"
_ADVERBS = rf"(?:\s+(?:\w+ly|then|again|at\s+last|to\s+(?:{SELF})|{_IN_HEAD}))*"
_UNHEARD = rf"(?:silently|mentally|inwardly|internally|{_IN_HEAD})\b"
_TELLING = rf"(?:{_THINK}|{_SAY}\s+(?:to\s+)?(?:{SELF})|{_CRY}(?=\s+{_UNHEARD}))"

_RACES = (
    r"(?:rac|spin|spun|whirl|reel|go|went|drift|turn|wander|scream|shout|whisper|sa(?:id|ys)|t(?:old|ells)|cr(?:ied|ies)|"
    r"warn|fl(?:ew|ies)|r[au]n|jump|churn|work|echo|answer|insist|settl|return|shift|flash|flit|shot|crept|creep|cross|"
    r"pass|str(?:uck|ikes)|hit|c[ao]me|occur|form|r(?:ose|ises)|wa?s|is|w[eo]re)"
)
_WHAT_RACES = (
    r"(?:mind|brain|conscience|heart(?=\s+(?:sa|t|cr|whisper|scream))|head(?!\s+(?:turn|jerk|hit|c[ao]me|r))|thoughts?|"
    r"(?:inner|little)\s+voice)"
)
_ELSEWHERE_IN = (
    r"(?:in(?:side)?|within|at\s+the\s+back\s+of|somewhere\s+in)\s+(?:my|his|her|their)\s+(?:own\s+)?"
    r"(?:head|mind|skull|heart)"
)
_UNTIL_COLON = r"[^.!?…:\"“”\n]{0,60}:(?!\d)"
INTRODUCES = (
    rf"(?:{_WHAT_RACES}\s+(?:\w+ly\s+)?{_RACES}\w*{_UNTIL_COLON}|(?:inside|within)\s+(?:me|him|her|them)\b{_UNTIL_COLON}"
    rf"|voice\s+{_ELSEWHERE_IN}{_UNTIL_COLON}|(?:str(?:uck|ikes)|hit)\s+(?:me|him|her)(?=\s*[:,]|\s+\w+ly|\s+that){_UNTIL_COLON}"
    rf"|(?:\bonly|\bone)\s+thing\s+(?:was|is)\s+(?:certain|clear|sure)\s*:)"
)
"""`mind raced: `, `thought ran through her head: `: what follows is thought."""
INTRODUCED = lazy_pattern(rf"(?:['’]s?\s+|\W*(?:his|her|their)\s+)(?:\w+\s+)?{INTRODUCES}", re.IGNORECASE)

CUE = guarded_pattern(
    rf"""
      (?P<introduces> \b{INTRODUCES} )
    | (?P<strong>
          {_NO_NOUN} \b{_THINK}\b {_NO_GESTURE}
        | \b{_SAY} \s+ (?:\w+ly\s+)? (?:to\s+)? (?:{SELF})\b
        | \bto \s+ (?:{SELF}) \s+ (?:I|he|she|they|it|{_NAME}) \s+ (?:said|says?|adds?|added|thinks?|thought)\b
        | \b(?:inwardly|internally)\b
        | \b{_CRY} \s+ (?:\w+\s+){{0,2}}? (?:silently|mentally)\b | \b(?:silently|mentally) \s+ {_CRY}\b
        | \bin \s+ (?:my|his|her|their|its) \s+ (?:own\s+)? (?:head|mind|heart|thoughts)\b
        | \b(?:my|his|her|their|its|[\w'’-]+['’]s) \s+ (?:(?:inner|own|secret)\s+)? thoughts\b
        | \b(?:inner|internal) \s+ (?:monologue|voice|thoughts?|dialogue)\b
        | \bthe \s+ (?:very\s+)? thought \s+ (?:that|of)\b
        | \b(?:the|that|this) \s+ thought \s+ (?:\w+\s+){{0,3}}?
            (?:leave|left|stay|linger|nag|gnaw|return|haunt|mad|com|c[ao]me|cross|str|chill|warm|would|was)\w*
        | \b(?:occurs?|occurred|dawns?|dawned) \s+ (?:to|on) \s+ (?:me|him|her|them|{_NAME})\b
        | \b(?:mental|private)\s+note\b
        | \binside,? \s+ (?-i:[A-Z])[\w'’-]+ \s+ (?:was|is) \s+ (?:scream|cry|panick|seeth|boil|fum|rag|plead|dy)ing\b
        | \bmemor(?:y|ies) \s+ (?:of|flash|flood|surfac|return|c[ao]me|r[io]se)\w*
        | \bflash(?:es|ed)? \s? backs? \s+ to\b
        | \bcross(?:es|ed) \s+ (?:my|his|her|their) \s+ mind\b
        | \b(?:part|half)\s+of\s+(?:me|him|her|them)\s+\w+ | \bdeep\s+down\b
        | \binside,? \s+ (?:\w+\s+)? (?:I|he|she|they)\b (?!\s+(?:the|a)\b)
      )
    | (?P<tag> (?:\A|[.,;:!?…—–*_~"“”'’)>-]) \s* (?:and\s+|but\s+)? {_SUBJECT} \s+ (?:\w+ly\s+)? {_KNOW}
        (?:\s+\w+ly|\s+it)? {_CLAUSE_ENDS} )
    | (?P<weak> \b{_KNOW} (?:,\s+[^,.!?\n]{{1,40}},)? \s+ {_CLAUSE}\b | \bconsider(?:s|ed|ing)? \s+ \w+ing\b
        | \b(?:remember|recall)(?:s|ed|ing) \s+ (?:(?:the|a|an|his|her|my|their)\b | (?-i:[A-Z])[\w-]+)
        | \b(?:could|can)(?:n['’]t|\s*not) \s+ (?:quite\s+)? believe \s+
            (?:that|how|what|he|she|they|(?-i:[A-Z])[\w-]+)\b
        | \b{_SUBJECT} \s+ (?:was|is|felt) \s+ (?:\w+ly\s+)? (?:certain|sure|convinced) (?:\s+of\s+it)? {_CLAUSE_ENDS}
        | \b(?:I|he|she|they) \s+ (?: (?:did|do|does|could|would|dared?)(?:n['’]t|\s+not)\s+
                (?:tell|mention|admit|reveal|confess)
            | never\s+(?:told|mentioned|admitted|revealed|confessed) )\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What in narration tells of a thought: surely; as a tag behind it; or for the one sentence (`hoped that …`)."""
_STEMS = """
    think thought wonder ponder muse musing dream reali conclu reflect self selves inward intern silent mental head mind
    heart inner occur dawn inside hope hoping belie know knew suspect fear wish doubt suppos guess underst recall figur
    memor flash believ reason note decid remember consider certain sure convinc brain conscience voice part half deep
    struck strikes hit thing within
    """
_UNTOLD = (
    *("t tell", "t mention", "t admit", "t reveal", "t confess"),
    *("never told", "never mention", "never admit", "never reveal", "never confess"),
)
STEMS = (*_STEMS.split(), *_UNTOLD)
"""A text without any of these holds no cue."""
OPINION = lazy_pattern(r"\b(?:what|how|as|than|whatever|all)\s+(?:[\w'’-]+\s+){1,2}\Z", re.IGNORECASE)
"""Words before a verb that rule out a thought: `what she thinks`."""
UNFINISHED = lazy_pattern(r'[,;:—–!?"“”]')
LEAD = lazy_pattern(rf"\W*(?:(?:and|but|then|so|now|still)\s+)?{_SUBJECT}\b", re.IGNORECASE)
INVERTED = lazy_pattern(rf"\s+{_SUBJECT}(?=\s*(?:[.,;:!?…—–*_\"“”)]|\Z)|\s+(?:with|to|in)\b|\s+\w+ly\b)", re.IGNORECASE)
POINTS_BACK = lazy_pattern(r"\s+(?:it|this|so|as\s+much|all\s+(?:this|that))\b", re.IGNORECASE)
BOUNDARY = lazy_pattern(r"""[.!?…]["'”’*_)\]]*\s+|\n""")
PARAGRAPH = lazy_pattern(r"\n[^\S\n]*\n")
NO_WORDS = lazy_pattern(r"\A[\W_]+")
ONLY_HELPERS = lazy_pattern(r"\s+(?:(?:had|was|is|\w+ly)\s+)*", re.IGNORECASE)
WORD = lazy_pattern(r"[^\W_]")
ENDS = lazy_pattern(r"(?:[.!?…][\W_]*|[^\W_][*_\s]*\n\s*)\Z")
SAYS_ON = lazy_pattern(
    r"\b(?:said|says?|asks?|asked|repl(?:y|ies|ied)|answer(?:s|ed)?|call(?:s|ed)?|cr(?:y|ies|ied)|add(?:s|ed)?|told|"
    r"tells?|aloud|out\s+loud|outwardly)\b",
    re.IGNORECASE,
)
TELLS_ON = lazy_pattern(
    r"(?:\s+\w+ly)?\s*(?:\s(?:that|whether|if|how|why|what|who|where|when)\s+\w|:\s*\w)", re.IGNORECASE
)
"""What stands behind `she thought` where the thought follows."""
KNOWS_ON = lazy_pattern(
    rf"""\s*{_SUBJECT}\s+(?:(?:had|still|only|just|\w+ly)\s+)?
        (?:(?:kn[eo]ws?|known|remember(?:s|ed)|recall(?:s|ed)|suspect(?:s|ed)|fear(?:s|ed)|hop(?:es|ed)|believ(?:es|ed)|
            understands|understood|doubt(?:s|ed))\s+(?:of\s+|about\s+)? | (?:thinks|thought)\s+(?:of|about)\s+)
        (?!the\s+(?:moment|instant|second|minute)\b)
        (?:he|she|they|we|I|you|there|the|an?|his|her|him|them|their|my|our|(?:every|some|no)\w*|all|(?-i:[A-Z])[\w'’-]+)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""`She knew his face`, `She thought of home`: what is known, not how something before it is meant."""
OPENING_TAG = lazy_pattern(
    rf"""\s* [,.;—–-]? \s* (?:
        {_SUBJECT} \s+ (?:(?:had|was|is|am|\w+ly)\s+)? (?:{_TELLING}|{_KNOW})\b
      | {_THINK} \s+ {_SUBJECT} | (?:was|is) \s+ all \s+ {_SUBJECT} \s+ could \s+ think\b
      | {_SUBJECT} \s+ {_CRY} \s+ (?:silently|mentally|internally|inwardly|in\s+\w+\s+(?:head|mind|heart)) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""`she thinks`, `thought Ilse`, at the beginning of narration."""
TELLING = lazy_pattern(rf"\s+(?:(?:had|was|is|am|\w+ly)\s+)?(?:{_TELLING}|{_KNOW})\b", re.IGNORECASE)
THINKING = lazy_pattern(rf"\s*[,.;—–-]?\s*{_THINK}\s+", re.IGNORECASE)
NOTHING_MORE = lazy_pattern(rf"{_ADVERBS}\W*\Z", re.IGNORECASE)

TAG_VERB = lazy_pattern(rf"\b{_TELLING}\b{_NO_GESTURE}", re.IGNORECASE)
OWN_OPINION = frozenset({"think", "wonder", "ponder", "muse", "reflect", "realize", "realise", "conclude", "daydream"})
"""Verbs by which a speaker says what they think: `I think so`."""
_SPOKEN = """
    think thought wonder muse musing ponder reflect reali conclu dream self selves silent mental inward internal
    """
SPOKEN_STEMS = (*_SPOKEN.split(), "in her", "in his", "in their")
"""A text without any of these holds no verb that tells of a thought."""
WHO_BEFORE = lazy_pattern(
    r"""(?P<mark>[.,;:!?…—–)\]*_~>"”’'»]|(?<!\w)-+|\A)\s*(?:and\s+|but\s+)?(?P<who>[\w'’.-]+(?:\s+[\w'’-]+){0,3}?)\s+
        (?:(?:had|was|is|\w+ly)\s+){0,2}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
MARK_BEFORE = lazy_pattern(r"""(?:[.,;:!?…—–)\]*_~>"”’'»]|(?<!\w)-+)\s*\Z""")
BEGINS_BEFORE = lazy_pattern(r"(?:\A|[^\w\s,'’-])\s*\Z")
GOES_ON_BEFORE = lazy_pattern(r"\A\s*,?\s*(?:and|but|though|while)\s+(?:(?:I|who)\s+)?\Z", re.IGNORECASE)
JOINS_BEFORE = lazy_pattern(r"(?:,|\b(?:and|then))\s+(?:\w+ly\s+)?\Z", re.IGNORECASE)
TAG_ENDS = lazy_pattern(rf"{_ADVERBS}{_CLAUSE_ENDS}", re.IGNORECASE)
INVERTED_ENDS = lazy_pattern(
    rf"\s+(?P<who>I|he|she|they|{_NAME}|[\w'’-]+)(?!['’]\w){_ADVERBS}{_CLAUSE_ENDS}", re.IGNORECASE
)
QUOTE_FOLLOWS = lazy_pattern(r"\s*[,:]\s*\Z")
NOT_SO = lazy_pattern(r"\s+(?:so|not)\b", re.IGNORECASE)

_LABEL = (
    r"(?:(?:(?:inner|internal|private|secret|silent|inward|my|his|her|their)\s+){0,2}"
    r"(?:thoughts?|thinks?|thinking|monologue|musings?|inner\s+voice)|inner|internal|(?:diary|journal)\s+entry|"
    r"(?:private|mental)\s+note|inner\s+[^\W\d_]+(?=\s*[:\uff1a]))"
    rf"(?:\s+(?:monologue|thoughts?|voice|dialogue|bubble|to\s+(?:{SELF}|self)))?"
)
_COLON = "[:\uff1a]"
LABELLED_LINE = lazy_pattern(
    rf"""
    (?: ^[ \t>\#]* | (?<=[.!?…*"”)\]])[ \t]+(?=[*_]{{0,3}}(?-i:[A-Z])) )
      (?: (?:(?:[\w-]+['’]s?[ \t]+)?{_LABEL}|to[ \t]+(?:{SELF}|self)|aside) [ \t]*{_COLON}
        | dear[ \t]+(?:diary|journal)\b
        | (?P<deco>[*_`]{{1,3}}) (?:[\w-]+['’]s?[ \t]+)? {_LABEL} (?: [ \t]*{_COLON}[ \t]*(?P=deco) |
            (?P=deco)[ \t]*{_COLON} )
        | (?P<dash>[-~|]{{1,2}}) [ \t]* {_LABEL} [ \t]* (?P=dash) {_COLON}?
        | (?P<named>[*_]{{0,3}}) [^\W\d][\w.'’ -]{{0,40}}? [ \t]* [(\[] [ \t]* (?:{_LABEL}|internally|inwardly|mentally)
          [ \t]* [)\]]
          (?: [ \t]*{_COLON}[ \t]*(?P=named) | (?P=named)[ \t]*{_COLON} ) )
    (?: [ \t]*\n\s*[^\n]+ )?
    (?: [^\n.!?…] | [.!?…](?!["'”’*_]*[ \t]+["“«„]) )*+ [.!?…]?
    (?: \n (?![ \t]*(?:\n|["“«„'‘*_(\[]|[\w*_ ]{{1,24}}:)) [^\n]* )*+
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""`Thought: he lies`, `Ilse (thinking): …`, and the lines in which it goes on; up to a quote behind a full stop."""
LABEL_STEMS = (
    *("thought", "think", "monologue", "musing", "inner", "internal", "diary", "journal"),
    "self",
    "selves",
    "aside",
    "mental",
    "inward",
    "private note",
)
"""A text without any of these has no label."""
LABEL = lazy_pattern(
    rf"[\W_]*(?:[\w-]+['’]s?\s+)?(?:{_LABEL}|to\s+(?:{SELF}|self)|(?:\w+\s+)?(?:mentally|inwardly|internally|silently|{_IN_HEAD}))\s*{_COLON}",
    re.IGNORECASE,
)
ONLY_LABEL = lazy_pattern(
    rf"\W*(?:[^\W\d_][\w'’-]*(?:\s[\w'’-]+)?\s*[,:–—-]\s*)?(?:(?:[\w-]+['’]s?\s+)?{_LABEL}|V\.?\s?O\b\.?[^()\n]{{0,60}}|mind|in\s+mind|aside|apart|silently|mentally|inwardly|to\s+(?:{SELF}|self)|musing|"
    r"in\s+(?:my|his|her|their)\s+(?:head|mind|thoughts|heart)|in\s+thought)\W*\Z",
    re.IGNORECASE,
)
INNER_START = lazy_pattern(
    r"""\W*(?: I(?:['’](?:ll|d|ve|m))?\s+ (?:must|should|ought|could|would|will|can['’]?t|cannot|couldn['’]t|won['’]t|
          wouldn['’]t|shouldn['’]t|don['’]t|didn['’]t|hate|love|like|loathe|wish|hope|need|want|never|knew|know|fear|
          guess|suppose|swear|have\s+to|had\s+to|might|may)\b
      | (?:oh|god|gods|damn|dammit|great|please|don['’]t|do\s+not|if\s+only|maybe|perhaps|why|how|what|who|wait|shit|
          fuck|crap|hell)\b(?=[\s,!?.…])
      | not\s+(?:him|her|them|this|that|again|now|here|today|tonight)\b(?:\s+again\b)?(?=\s*[!?.…]) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""How no deed begins: `I must not`, `Oh no`, `Why`."""
SENTENCE = lazy_pattern(r"""\W*[A-Z].*[.!?…]["'”’]?\s*\Z""", re.DOTALL)
DEED = lazy_pattern(
    rf"""\W*{_SUBJECT}\s+(?:\w+ly\s+)?
        (?:smil|nod|grin|laugh|sigh|shrug|walk|look|turn|lean|tak|took|put|sit|sat|stand|stood|open|clos|wav|point|
        reach|step|pull|push|draw|drew|rais|lower|shak|shook|glanc|star|gaz|frown|wink|giggl|chuckl|bow|kneel|knelt|run|
        ran|jump|pick|drop|hold|held|grab|hug|kiss|touch|sip|drink|drank|eat|ate|pour|enter|leav|left|com|came|go|went|
        cough|clear|whisper|cr(?:y|ies)|blush|gasp|yawn|clap|tap|rub|cross|fold|tilt|peek|stretch)\w*\b""",
    re.IGNORECASE | re.VERBOSE,
)
SHORTENED = lazy_pattern(r"\W*(?:he|she|it|they|I|we|you|that|who|there)['’]", re.IGNORECASE)
"""`He's looking at me` is not a deed told by name."""
DESCRIBES = lazy_pattern(
    r"(?:\w+['’]?\w*\W+){0,2}?(?!(?:this|his|its|pls|yes|always|perhaps|guess|plus|thus|need|indeed|only|\w*(?:actual|real|literal|probab|honest|total|basical|serious|obvious|"
    r"definite|absolute|near|clear)ly)\b)"
    r"\w{2,}(?:s|ing|ed|ly)\b",
    re.IGNORECASE,
)
SPEAKS_OF = lazy_pattern(
    r"\b(?:I|me|my|mine|we|us|you|he|she|they|it|him|her|them|this|that|these|those|there|pls|please)\b", re.IGNORECASE
)
STAGE_START = lazy_pattern(
    r"\W*(?:the|a|an|his|her|my|their|in|on|at|with|to|from|over|under|into|onto|off|out|up|down|still|now|then|again|"
    r"not|as|by|near|behind|before|after|beat|pause|half|almost|both|all|eyes|voice|hand|quiet|very|too|more|less|"
    r"visibly|which|who|whom|whose|and|or|but|for|if|like|except)\b",
    re.IGNORECASE,
)
DOES = lazy_pattern(r"\W*(?!(?:this|his|its|is|was|as|yes|us|always|perhaps)\b)[a-z]+(?:s|ed)\b")
AND_BEFORE = lazy_pattern(r"\b(?:and|then)\s+(?:\w+ly\s+)?\Z", re.IGNORECASE)
AND_DOES = lazy_pattern(r"\b(?:and|then)\s+(?P<deed>[a-z]\w+\b.*)\Z", re.DOTALL)
QUOTED = lazy_pattern(r"""["“«][^"”»]*(?:["”»]|\Z)""")
_ANYBODY = r"(?:he|she|they|it|nobody|no\s+one|(?-i:[A-Z])[\w-]+)"
_BLAMED = (
    r"(?:a|an|the|my|our|no)\s+(?:\w+\s+)?(?:liar|traitor|thief|spy|fool|idiot|coward|killer|murderer|impostor|imposter|"
    r"threat|danger|enemy|friend\s+of\s+mine|monster)"
)
_CANNOT = (
    r"(?:can['’]?t|cannot|won['’]t|will\s+not|couldn['’]t|don['’]?t|do\s+not|shouldn['’]t|mustn['’]t|wouldn['’]t)\s+"
    r"(?:let|trust|believe|bear|stand|tell|say|show|allow|risk|afford|forgive|lose|fail|know|think|like|care|want|be|have)"
)
_I_FEEL = (
    r"(?:know|knew|think|thought|hate|loathe|despise|must|fear|suspect|wish|hope|doubt|believe|trust|should|ought|guess|"
    r"suppose|swear|distrust|envy|pity|dread)"
)
_CLOSED = r"(?=\s*(?:[.,;:!?…—–)]|\Z)"
_LIES = rf"lying{_CLOSED}|\s+(?:to|about|again|through|and|because|for|when|now|he|she|they|I|us)\b)"
_OVERMUCH = rf"{_CLOSED}|\s+(?:too\s+much|nothing|everything|something|it|more|to\s+me)\b)"
JUDGES = guarded_pattern(
    rf"""
    (?: \A | [.!?…,;:—–(] | \b(?:and|but|because|since|if|so|that|for|or|then)\b ) [\s\W]{{0,4}}
    (?: I(?:['’](?:ll|d|ve|m))?\s+ (?:(?:\w+ly|still|just|already|do|did|never|always)\s+){{0,2}}
        (?: {_I_FEEL}\b | {_CANNOT}\b
          | (?:have|need|want)\s+to\s+
            (?:know|find|get|kill|stop|hide|warn|tell|think|be|keep|escape|believe|say|make)\b )
      | {_ANYBODY} (?:\s+(?:is|was|are|were|has\s+been|must\s+be)|['’](?:s|re)) \s+
        (?:(?:\w+ly|still|just|always|not|so|such)\s+){{0,2}}
        (?: {_LIES} | {_BLAMED}\b | hiding\s+(?:something|the\s+truth|it\s+from) | up\s+to\s+(?:something|no\s+good)
          | (?:bluffing|cheating|plotting|scheming|guilty|innocent|deceiving|betraying|pretending|fooling)\b
          | behind\s+(?:this|it|all)\b | not\s+(?:telling|who|what|to\s+be\s+trusted)\b )
      | {_ANYBODY}\s+ (?:(?:\w+ly|still)\s+)?
        (?: must\b (?!\s+(?:lean|sit|step|stoop|duck|squint|kneel|reach|stand|hold|bend|stretch)\b)
          | (?:has|have|had)\s+to\s+(?:be|die|know|pay|have|mean|suspect)\b
          | can\s+(?:ever\s+|never\s+)?(?:know|suspect|find\s+out|learn|guess|trust)\b
          | (?:can['’]?t|cannot|couldn['’]t|mustn['’]t|should(?:n['’]t)?|could|might|may)\s+(?:ever\s+|never\s+|not\s+)?
            (?:be|have|know|suspect|find\s+out|learn|guess|trust)\b
          | (?:will|would)\s+(?:never|regret|pay|die|kill|betray|suspect|find\s+out|know)\b
          | (?:hate|loathe|despise|distrust|mistrust|dread)[sd]?\b
          | (?:(?:here|there|else|of\s+\w+|yet|in\s+\w+\s+\w+)\s+)*(?:suspects?|guess(?:es)?|believes|trusts)\b
          | (?:here|there|else|of\s+\w+|yet)\s+(?:\w+ly\s+)?(?:knows?|knew|suspected|guessed)\b
          | won['’]t\s+(?:know|suspect|find|live|get|last)\b
          | (?:know|suspect|want|deserve|lie)s?{_OVERMUCH} )
      | I(?:['’]m|\s+am)\s+(?:not\s+)?going\s+to\s+(?:kill|make|tell|get|find|regret|lose|die|be|have)\b
      | such\s+an?\b
      | I(?:['’]ve|\s+have)\s+(?:(?:\w+ly|never|always|so\s+long|long)\s+)*(?:been\s+)?
          (?:wait|dream|long|yearn|want|hop|fear|known|wonder|miss|wish|suspect)\w*
      | (?:soon\s+)?(?:the|this|that|these|those|it|he|she|they|all|everything)\s+(?:[\w'’-]+\s+){{0,3}}?
          (?:is|are|was|were|be)\s+(?:(?:soon|finally|all|truly|now|still)\s+)*mine\b
      | my\s+(?:secret|plan|scheme|trick)s?\s+(?:is|are|was|work|will|must)
      | (?<=[.!?…]\s) (?:oh|god|damn|dammit|if\s+only|shit|fuck|don['’]t|do\s+not)\b(?=[\s,!?.…])
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What cannot be seen: `I know it`, `he is lying`, `he must die`; but `he is lying on the floor`."""
_THIRD = rf"(?:he|she|{_NAME})"
LED = guarded_pattern(
    rf"""
    \A\W*+ (?:(?:and|but|then|so|now|still|yet|all\s+the\s+while),?\s+)?
    (?: (?:silently|inwardly|internally|mentally|(?!in(?:side)?\s+my){_ELSEWHERE_IN}|(?!in\s+my){_IN_HEAD}),?\s
          (?!(?:you|we)\b) | (?:deep\s+down|somewhere\s+(?:deep\s+)?(?:down|inside)),?\s (?!(?:I|you|we)\b)
      | {_THIRD}\s+ (?:(?:\w+ly|had|has|only|just|then)\s+){{0,2}}
          (?: (?:wonder(?:s|ed)|mus(?:es|ed)|ponder(?:s|ed))\s+(?:if|whether|how|why|what|who|where|about)\b
            | {_SAY}\s+(?:to\s+)?(?:{SELF})\b | {_CRY}\s+{_UNHEARD}
            | (?:{_THINK}|{_KNOW}|{_CRY}\s+{_UNHEARD})(?:\s+(?:to\s+(?:{SELF})|\w+ly)){{0,2}}\s*[:]
            | {_THINK}(?:,\s|\s+that\b)
            | {_KNOW}\b[^.!?]*\b(?:but|and)\s+(?:said|kept|held|did\s+not|didn['’]t)\b
          )
      | {_UNHEARD},?\s+{_THIRD}\s+{_CRY}
      | (?:secretly|privately),?\s+{_THIRD}\s+(?:\w+ly\s+)?(?:{_KNOW}|{_THINK})\b
      | (?:a|some)?\s*part\s+of\s+(?:him|her)\s+(?:\w+ly\s+)?(?:{_KNOW}|{_THINK}|want(?:s|ed)|long(?:s|ed)|hate[sd])\b
      | (?:his|her)\s+(?:(?:only|first|last|one|next|sole)\s+)?(?:thought|hope|fear|suspicion|wish)\s+
          (?:was|is)\s+(?:that|how|of)\b
      | the\s+(?:\w+\s+)?thought\s+(?:that|of)\b
      | {_THIRD}\s+(?:keeps?|kept)\s+(?:it\s+)?to\s+(?:him|her)self\b
      | it\s+(?:\w+ly\s+)?(?:occur(?:s|red)\s+to|dawn(?:s|ed)\s+on|str(?:uck|ikes)|c[ao]mes?\s+to)\s+(?:him|her)\b
      | (?:an?|the|one|another)\s+(?:\w+\s+){{0,2}}?(?:thought|suspicion|memory|idea|voice)\b[^.!?:\"“]{{0,60}}:
      | (?:an?|the|one)\s+(?:\w+\s+)?(?:thought|idea|suspicion)\s+(?:had\s+)?(?:crossed|came|occurred|struck|formed|
          took)\b
      | {_THIRD}(?:,\s+[^,.!?\n]{{1,60}},)?\s+
          (?:remember|recall|realiz|realis|reflect|decid|suspect|believ|fear|hop|wish|dread|guess|knew|know)\w*\s+(?:that|
          how|what|whether)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How a sentence of narration begins that tells of a mind, though no quote or name says that it is narration."""
SAID_TAG = lazy_pattern(
    rf"[,!?…]\s+(?:{_SUBJECT}\s+(?:says?|said|asks?|asked|added|adds|laughs?|laughed)|"
    rf"(?:says?|said|asks?|asked)\s+{_SUBJECT})\W*\Z",
    re.IGNORECASE,
)
"""What says at a sentence's end that it is said."""
HIDDEN_MANNER = lazy_pattern(rf"\W*{_UNHEARD}", re.IGNORECASE)
"""What says by itself that nothing is said, whoever it is of: `Silently I cursed: …`."""
SPEAKER_OR_HEARER = lazy_pattern(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours|let's)\b|\b(?:I|you|we)['’]", re.IGNORECASE
)
"""Of these an author's narration in the third person has none outside of thoughts and speech."""
TURNS_BACK = guarded_pattern(
    r"""\A\W*(?:and\s+)?(?: (?:the|that|this|such\s+an?|these|those)\s+(?:\w+\s+)?
        (?:thoughts?|ideas?|realization|realisation|suspicion)\b
          (?!\s+(?:of|that|about)\b)
      | (?:he|she|I|(?-i:[A-Z])[\w'’-]+)\s+(?:bites?|bit|holds?|held)\s+(?:my|his|her|their)\s+tongue\b
      | (?:the|those|these)\s+words?\s+(?:\w+\s+){0,2}?(?:die[sd]?|stuck|stick|froze|stopped|stay|never)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What says of the words between asterisks before it that they were only thought."""
