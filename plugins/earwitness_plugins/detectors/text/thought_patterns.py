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
_ADVERBS = rf"(?:\s+(?:\w+ly|then|again|at\s+last|to\s+(?:{SELF})))*"
_TELLING = rf"(?:{_THINK}|{_SAY}\s+(?:to\s+)?(?:{SELF}))"

_RACES = (
    r"(?:rac|spin|spun|whirl|reel|go|went|drift|turn|wander|scream|shout|whisper|sa(?:id|ys)|t(?:old|ells)|cr(?:ied|ies)|"
    r"warn|fl(?:ew|ies)|r[au]n|jump|churn|work|echo|answer|insist|settl|return|shift|flash|flit|shot|crept|creep|cross|"
    r"pass|str(?:uck|ikes)|hit|c[ao]me|occur|form|r(?:ose|ises)|wa?s|is|w[eo]re)"
)
_WHAT_RACES = (
    r"(?:mind|brain|conscience|heart(?=\s+(?:sa|t|cr|whisper|scream))|head(?!\s+(?:turn|jerk|hit|c[ao]me|r))|thoughts?|"
    r"(?:inner|little)\s+voice)"
)
INTRODUCES = rf"{_WHAT_RACES}\s+(?:\w+ly\s+)?{_RACES}\w*[^.!?…:\"“”\n]{{0,60}}:"
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
        | \b(?:my|his|her|their|its) \s+ (?:(?:inner|own|secret)\s+)? thoughts\b
        | \b(?:inner|internal) \s+ (?:monologue|voice|thoughts?|dialogue)\b
        | \bthe \s+ (?:very\s+)? thought \s+ (?:that|of)\b
        | \b(?:occurs?|occurred|dawns?|dawned) \s+ (?:to|on) \s+ (?:me|him|her|them|{_NAME})\b
        | \bcross(?:es|ed) \s+ (?:my|his|her|their) \s+ mind\b
        | \b(?:part|half)\s+of\s+(?:me|him|her|them)\s+\w+ | \bdeep\s+down\b
        | \binside,? \s+ (?:\w+\s+)? (?:I|he|she|they)\b (?!\s+(?:the|a)\b)
      )
    | (?P<tag> (?:\A|[.,;:!?…—–*_~"“”'’)>-]) \s* (?:and\s+|but\s+)? {_SUBJECT} \s+ (?:\w+ly\s+)? {_KNOW}
        (?:\s+\w+ly|\s+it)? {_CLAUSE_ENDS} )
    | (?P<weak> \b{_KNOW} \s+ {_CLAUSE}\b | \bconsider(?:s|ed|ing)? \s+ \w+ing\b
        | \b(?:remember|recall)(?:s|ed|ing) \s+ (?:the|a|an|his|her|my|their)\b
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
    reason note decid remember consider brain conscience voice part half deep
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
OPENING_TAG = lazy_pattern(
    rf"""\s* [,.;—–-]? \s* (?:
        {_SUBJECT} \s+ (?:(?:had|was|is|am|\w+ly)\s+)? (?:{_TELLING}|{_KNOW})\b
      | {_THINK} \s+ {_SUBJECT}
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
SPOKEN_STEMS = (
    "think",
    "thought",
    "wonder",
    "muse",
    "musing",
    "ponder",
    "reflect",
    "reali",
    "conclu",
    "dream",
    "self",
    "selves",
)
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
    r"(?:thoughts?|thinks?|thinking|monologue|musings?|inner\s+voice)|inner|internal|(?:diary|journal)\s+entry)"
    rf"(?:\s+(?:monologue|thoughts?|voice|dialogue|bubble|to\s+(?:{SELF}|self)))?"
)
_COLON = "[:\uff1a]"
LABELLED_LINE = lazy_pattern(
    rf"""
    ^[ \t>\#]* (?: (?:[\w-]+['’]s?[ \t]+)?{_LABEL} [ \t]*{_COLON} | dear[ \t]+(?:diary|journal)\b
        | (?P<deco>[*_`]{{1,3}}) {_LABEL} (?: [ \t]*{_COLON}[ \t]*(?P=deco) | (?P=deco)[ \t]*{_COLON} )
        | (?P<dash>[-~|]{{1,2}}) [ \t]* {_LABEL} [ \t]* (?P=dash) {_COLON}?
        | (?P<named>[*_]{{0,3}}) [^\W\d][\w.'’ -]{{0,40}}? [ \t]* [(\[] [ \t]* {_LABEL} [ \t]* [)\]]
          (?: [ \t]*{_COLON}[ \t]*(?P=named) | (?P=named)[ \t]*{_COLON} ) )
    (?: [ \t]*\n\s*[^\n]+ )?
    (?: [^\n.!?…] | [.!?…](?!["'”’*_]*[ \t]+["“«„]) )*+ [.!?…]?
    (?: \n (?![ \t]*(?:\n|["“«„'‘*_(\[]|[\w*_ ]{{1,24}}:)) [^\n]* )*+
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""`Thought: he lies`, `Ilse (thinking): …`, and the lines in which it goes on; up to a quote behind a full stop."""
LABEL_STEMS = ("thought", "think", "monologue", "musing", "inner", "internal", "diary", "journal")
"""A text without any of these has no label."""
LABEL = lazy_pattern(rf"[\W_]*(?:[\w-]+['’]s?\s+)?(?:{_LABEL}|to\s+(?:{SELF}|self))\s*{_COLON}", re.IGNORECASE)
ONLY_LABEL = lazy_pattern(
    rf"\W*(?:[^\W\d_][\w'’-]*(?:\s[\w'’-]+)?\s*[,:–—-]\s*)?(?:{_LABEL}|V\.?\s?O\b\.?[^()\n]{{0,60}}|mind|in\s+mind|aside|apart|silently|mentally|inwardly|to\s+(?:{SELF}|self)|musing|"
    r"in\s+(?:my|his|her|their)\s+(?:head|mind|thoughts|heart)|in\s+thought)\W*\Z",
    re.IGNORECASE,
)
INNER_START = lazy_pattern(
    r"""\W*(?: I(?:['’](?:ll|d|ve|m))?\s+ (?:must|should|ought|could|would|will|can['’]?t|cannot|couldn['’]t|won['’]t|
          wouldn['’]t|shouldn['’]t|don['’]t|didn['’]t|hate|love|like|loathe|wish|hope|need|want|never|knew|know|fear|
          guess|suppose|swear|have\s+to|had\s+to|might|may)\b
      | (?:oh|god|gods|damn|dammit|great|please|don['’]t|do\s+not|if\s+only|maybe|perhaps|why|how|what|who|wait|shit|
          fuck|crap|hell)\b(?=[\s,!?.…]) )""",
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
"""`He's looking at me` is no deed told by name."""
DESCRIBES = lazy_pattern(
    r"(?:\w+['’]?\w*\W+){0,2}?(?!(?:this|his|its|pls|yes|always|perhaps|guess|plus|thus|need|indeed|only)\b)"
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
          | won['’]t\s+(?:know|suspect|find|live|get|last)\b
          | (?:know|suspect|want|deserve|lie)s?{_OVERMUCH} )
      | I(?:['’]m|\s+am)\s+(?:not\s+)?going\s+to\s+(?:kill|make|tell|get|find|regret|lose|die|be|have)\b
      | such\s+an?\b
      | my\s+(?:secret|plan|scheme|trick)s?\s+(?:is|are|was|work|will|must)
      | (?<=[.!?…]\s) (?:oh|god|damn|dammit|if\s+only|shit|fuck|don['’]t|do\s+not)\b(?=[\s,!?.…])
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What cannot be seen: `I know it`, `he is lying`, `he must die`; but `he is lying on the floor`."""
