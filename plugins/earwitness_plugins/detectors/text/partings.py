"""Words by which those who leave at once part from each other: `they go their separate ways`, `jeder geht heim`."""

from earwitness.patterns import lazy_pattern

PARTING = lazy_pattern(
    r"(?i)\bexeunt\b|\bseparate(?:ly|\s+ways)\b|\bone\s+(?:by\s+one|after\s+(?:the\s+other|another))\b|\beach\b(?!\s+other)|"
    r"\b(?:part|parts|parted)\s+(?:ways|company)\b|\b(?:scatter|disperse|split\s+up)\w*\b|\bin\s+(?:different|opposite)\s+"
    r"directions\b|\bown\s+(?:rooms?|homes?|houses|beds?|way|ways|quarters)\b|"
    r"\b(?:getrennt\w*|einzeln|nacheinander|jeder|jede|trennen|trennten|auseinander)\b|"
    r"\b(?:chacune?|séparément|se\s+séparent|se\s+séparèrent|tour\s+à\s+tour|l['’]une?\s+après\s+l['’]autre)\b|"
    r"\b(?:cada\s+(?:uno|una|um|uma)|por\s+separado|separadamente|uno\s+(?:a|por)\s+uno|um\s+(?:a|por)\s+um|se\s+separan?|"
    r"se\s+separaron)\b|\b(?:кажд\w+|порознь|поодиночке|расходятся|разошлись)\b|それぞれ|別々に|各自|分头|分別"
)
