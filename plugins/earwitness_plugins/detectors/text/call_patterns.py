"""How telephones and radios are told of: who is rung up, speaks from afar, hangs up. General usage, no corpus's."""

# ruff: noqa: RUF001 (Cyrillic letters and full-width marks are meant)

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern

_FLAGS = re.IGNORECASE | re.VERBOSE
_OWN = r"(?:the|an?|his|her|their|its|my|our)"
_HELD = (
    r"(?:(?:tele|cell|smart|sat(?:ellite)?\s+)?phone|mobile|cell|receiver|handset|earpiece|(?:two-way\s+)?radio|intercom|"
    r"comms?(?:[- ]?link)?|com-?link|speaker(?:phone)?|walkie-talkie|communicator|transmitter|headset|"
    r"video\s+(?:call|link)|call|line)"
)
_DEVICE = rf"(?:{_HELD}|scrying\s+\w+|sending\s+stone|crystal\s+ball)"
_NAME = r"(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ])[\w'’-]+(?:\s+(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ])[\w'’-]+)?"
_CLOSED = (
    r"(?=\W*\Z|\s*[,;.:(*_\x22\u201c\u201e«]"
    r"|\s+(?:on|from|up|back|again|at|in|with|and|then|to|instead|first|over\s+the)\b)"
)
_PHONE_DE = r"(?:Telefon|Handy|Funkgerät|Hörer|Apparat)"
_PHONE_FR = r"(?:téléphone|portable|combiné|talkie-walkie|radio|interphone)"
_PHONE_ES = r"(?:teléfono|móvil|celular|auricular|radio|interfono)"
_PHONE_PT = r"(?:telefone|celular|telemóvel|auscultador|rádio|interfone)"

RINGS = guarded_pattern(
    rf"""
      \b(?:phones?|phoned|dials?|dialled|dialed|rings?(?:\s+up)?|rang(?:\s+up)?|radio(?:es|ed)|facetimes?|video-?calls?|
        (?:calls?|called|calling)(?:\s+up)?) \s+ {_NAME} {_CLOSED} (?!\s+(?:over|in|to|at)\s+(?!the\s+phone))
    | \b(?:dials?|dialled|dialed|punch(?:es|ed)\s+in|enters?
      |taps?\s+in) \s+ {_NAME}['’]s?\s+(?:\w+\s+)?(?:number|extension)\b
    | \b(?:puts?|gets?|got|has|keeps?)\s+ {_NAME} \s+on\s+(?:the\s+)?(?:speaker|phone|line|radio)\b
    | \b(?:calls?|called|phones?|phoned|rings?|rang)\s+ {_NAME} \s+(?:on|from|over)\s+ {_OWN}\s+{_DEVICE}\b
    | \b(?:ruft|rief)\s+(?:\w+\s+){{0,2}}?{_NAME}\s+(?:\w+\s+){{0,4}}?an\b | \bwählt\w*\s+{_NAME}\s+Nummer\b
    | \b(?:telefoniert|telefonierte|spricht)\s+mit\s+{_NAME}\b(?=[^.!?]{{0,20}}(?:Telefon|\Z))
    | \bfunkt\w*\s+{_NAME}\s+an\b
    | \b(?:r?appelle|appela|rappela)\s+{_NAME} (?=\W*\Z|\s*[,;.*_\x22\u201c«]|\s+(?:sur|depuis|avec|et|au|pour)\b)
    | \btéléphon(?:e|a)\s+à\s+{_NAME}\b | \bcompose\s+le\s+numéro\s+d(?:e\s+|['’]){_NAME}\b
    | \b(?:llama|llamó)\s+a\s+{_NAME} (?=\W*\Z|\s*[,;.*_\x22\u201c«]|\s+(?:por|al|desde|con|y|para)\b)
    | \b(?:telefonea|telefoneó)\s+a\s+{_NAME}\b | \bmarca\s+el\s+número\s+de\s+{_NAME}\b
    | \b(?:liga|ligou|telefona|telefonou)\s+(?:para|pra|à|a|ao)\s+(?:a\s+|o\s+)?{_NAME}\b
    | \b(?:disca|marca)\s+o\s+número\s+d[aeo]\s+{_NAME}\b
    | \b(?:по)?звонит\s+{_NAME}\b | \b(?:по)?звонила?\s+{_NAME}\b | \bнабира(?:ет|л|ла)\s+(?:номер\s+)?{_NAME}\b
    | [^\s、。「」*]{{1,12}}に(?:電話(?:する|した|をかけ|をし|かけ)) | 给[^\s，。*]{{1,8}}?(?:打了?个?电话|打电话|去电)
    """,
    _FLAGS,
)
"""Somebody who is named is rung up; without a device it may be that they are shouted for."""
CALLS = guarded_pattern(
    rf"""
      (?<!turns\ )(?<!turn\ )(?<!switches\ )(?<!puts\ )(?<!listens\ )(?<!music\ )\b
        (?:over|via|through|into|on|across|by) \s+ (?:{_OWN}\s+)? {_DEVICE}\b
    | \b(?:radio(?:es|ed)|phones|phoned|dials|rings\s+up)\s+(?-i:[A-Z])
    | \b(?:calls?|calling)\s+(?:up\s+)?(?-i:[A-Z])[\w'’-]+\W*\Z
    | \bkeys\s+(?:the|his|her|their|my)\s+(?:mic|microphone|radio)\b
    | \A\W*{_DEVICE}\W*\Z
    | \b(?:am|ins|übers?|durchs?|per|aus\s+dem)\s+(?:das\s+|den\s+)?(?:{_PHONE_DE}|Funk)\b
    | \b(?:au|par|dans\s+(?:le|la|son)|via\s+(?:le|la)|à\s+la)\s+{_PHONE_FR}\b
    | \b(?:por|al|a\s+través\s+del?|desde\s+el|en\s+el)\s+(?:la\s+|su\s+)?{_PHONE_ES}\b
    | \b(?:ao|pelo|por|no)\s+{_PHONE_PT}\b
    | \bпо\s+(?:телефону|рации|радио|мобильному|интеркому)\b | \bв\s+(?:трубку|рацию)\b
    | (?:電話|無線|携帯|電話口|受話器)(?:で|越しに|の向こうで|に向かって) | (?:在|通过|从|对着)?(?:电话
    |對講機|对讲机)(?:里|中|那头
      |上)
    """,
    _FLAGS,
)
"""Something is said over a device."""
_ENDS = rf"""
      \b(?:hangs?|hung)\s+up\b (?!\s+(?:(?:the|a|an|his|her|my|their)\s+)(?!{_DEVICE}\b))
    | \b(?:ends?|ended|cuts?|drops?|dropped)\s+(?:off\s+)?(?:the|{_OWN})\s+(?:call|connection|line|transmission)\b
    | \b(?:the|her|his)\s+(?:line|radio|phone|connection|call|comm)\s+
          (?:goes|went|is|falls)\s+(?:dead|silent|cut|quiet|off)\b
    | \b(?:puts?|lowers?|pockets?|switch(?:es)?\s+off|turns?\s+off|clicks?\s+off|sets?
      |snaps?\s+shut)\s+(?:down\s+|away\s+)?
          {_OWN}\s+{_DEVICE}\b (?!\s+(?:to|on|against)\b)
    | \b(?:switch(?:e[sd])?|turn(?:s|ed)?|click(?:s|ed)?)\s+{_OWN}\s+{_DEVICE}\s+off\b
    | \bsigns?\s+off\b | \bdisconnects(?=\W*\Z|[*_])
    | \blegt(?:e)?\s+(?:\w+\s+){{0,2}}?auf(?=\W*\Z|\s*[,;.*_\x22\u201c\u201e]|\s+und\b)
    | \bbeendet(?:e)?\s+(?:das\s+Gespräch|den\s+Anruf)\b
    | \braccroch(?:e|a)\b | \bmet\s+fin\s+à\s+(?:l['’]appel|la\s+communication)\b
    | \b(?:cuelga|colgó)\b (?!\s+(?:el|la|los|las|su|un|una)\s+(?!{_PHONE_ES}\b)) | \btermina\s+la\s+llamada\b
    | \b(?:desliga|desligou)\b (?!\s+(?:o|a|os|as)\s+(?!{_PHONE_PT}\b))
    | \b(?:encerra|termina)\s+a\s+(?:chamada|ligação)\b
    | \b(?:вешает|кладёт|кладет|положил|положила|повесил|повесила|бросает)\s+трубку\b
    | \bзаканчивает\s+(?:звонок|разговор)\b
    | 電話を切(?:る|った|り|って) | 通話を(?:終え|切) | 挂(?:断|掉|了|上)?(?:了)?(?:电话)
    """
ENDS_CALL = guarded_pattern(_ENDS, _FLAGS)
ENDS_CALL_FIRST = lazy_pattern(rf"[\W_]*(?:[A-Z]?\w+\s+){{0,2}}?(?:{_ENDS})", _FLAGS)
VOICE = lazy_pattern(r"['’]s?\s+(?:\w+\s+){0,2}voice\b", _FLAGS)
_HOLDS = (
    r"(?:phone|telephone|mobile|cell|receiver|handset|earpiece|Telefon|Handy|Hörer|téléphone|portable|combiné|teléfono|móvil|"
    r"celular|auricular|telefone|telemóvel)"
)
TAKES_UP = guarded_pattern(
    rf"""\b(?:picks?\s+up|answers?|dials?|takes?|lifts?|holds?|press(?:es)?|tucks?|grabs?)\b [^.!?"“*]{{0,40}}
        \b{_HOLDS}\b
    | \b{_HOLDS}\b [^"“*]{{0,60}} \b(?:picks?|picked)\s+(?:it\s+)?up\b
    | \b(?:dials|phones|rings\s+up)\b | \b(?:on|into|to)\s+(?:the|his|her|my|their)\s+{_HOLDS}\b
    | \b{_HOLDS}\s+(?:to|at|against|by|between)\b | \b(?:answers|takes)\s+the\s+call\b
    | \b(?:nimmt|hebt)\s+ab\b | \bgeht\s+ran\b | \b(?:am|ans)\s+(?:Telefon|Handy)\b | \b(?:au|le)\s+téléphone\b
    | \bdécroche\b
    | \bal\s+teléfono\b | \b(?:descuelga|contesta)\s+(?:el\s+)?(?:teléfono|móvil|celular)\b | \bdescuelga\b
    | \bao\s+telefone\b | \batende\s+(?:o\s+)?(?:telefone|celular|telemóvel)\b
    | телефону\b | \b(?:снимает|берёт|берет|поднимает)\s+трубку\b | 電話に | 接(?:起|了)?(?:起)?电话""",
    _FLAGS,
)
"""Somebody takes the telephone, so that they alone hear the other end."""
FOR_ALL = lazy_pattern(
    r"""\b(?:radios?|walkie|intercom|loud\s?speaker|speaker-?phone|on\s+speaker|comms?|video\s+call|conference|screen|tannoy|
    loudly\s+enough|Lautsprecher|laut\s+gestellt|stellt\s+(?:\w+\s+)?laut|haut-parleur|altavoz|manos\s+libres|viva-?voz|
    громк\w+\s+связ\w+)\b|スピーカー|免提|扬声器""",
    _FLAGS,
)
"""The other end is heard by everybody beside it."""
TELLS_OF_PHONE = lazy_pattern(
    rf"""\b(?:{_HOLDS}|radio|walkie-talkie|intercom|voicemail|caller|ringtone|Anruf|appel|llamada|chamada|ligação|Funkgerät)s?\b
    | телефон | рация | звонок | трубк | 電話 | 携帯 | 电话 | 手机""",
    _FLAGS,
)
UNANSWERED = lazy_pattern(
    r"""\b(?:no\s+(?:answer|reply|signal|one\s+(?:answers|picks)|reception)|voice\s?mail|answering\s+machine|(?:is|line['’]s)\s+(?:busy|engaged)|
    (?:does(?:n['’]t|\s+not)|won['’]t)\s+(?:pick|answer)|rings\s+(?:and\s+rings|out)|beep|Mailbox|Anrufbeantworter|geht\s+nicht\s+ran|besetzt|
    messagerie|répondeur|ne\s+répond\s+pas|buzón|contestador|no\s+contesta|caixa\s+postal|não\s+atende|автоответчик|не\s+отвечает)\b|留守電|无人接听""",
    _FLAGS,
)
"""Whoever is rung up does not answer."""
