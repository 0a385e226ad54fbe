"""From one document (HTML, manual page, plain or light mark-up) to blocks. Pure: sees text, never files.

A block is (level, text): level 1 to 6 is a heading, TERM what a list explains, PROSE a paragraph.
"""

import html
import re

PROSE = 0
TERM = -1

Block = tuple[int, str]

_DROPPED = re.compile(
    r"<(script|style|nav|header|footer|pre|head|svg|button|form)\b.*?</\1\s*>|<!--.*?-->|<table class=\"memberdecls\".*?</table>",
    re.S | re.I,
)
_HTML_BLOCK = re.compile(r"<(/?)(h[1-6]|p|div|li|dd|dt|td|th|tr|blockquote|section|ul|ol|dl|table|br|body|title)\b[^>]*>", re.I)
_TAG = re.compile(r"<[^>]*>")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.S | re.I)
_SPACE = re.compile(r"\s+")


def _plain(fragment: str) -> str:
    # The sign that heads links to themselves carry.
    return _SPACE.sub(" ", html.unescape(_TAG.sub("", fragment))).replace("\u00b6", "").strip()


def page_blocks(source: str) -> list[Block]:
    """Of Mallard, the help of GNOME: titles and one-line purposes, then paragraphs and items."""
    body = re.sub(r"<(links|credit|license|revision|code|screen|media)\b.*?</\1>", " ", source, flags=re.S)
    body = re.sub(r"<title[^>]*>(.*?)</title>", r"<h2>\1</h2>", body, flags=re.S)
    return html_blocks(re.sub(r"<desc>(.*?)</desc>", r"<p>\1</p>", body, flags=re.S))


def html_blocks(source: str) -> list[Block]:
    source = _DROPPED.sub(" ", source)
    blocks: list[Block] = []
    level, start = PROSE, 0
    for tag in _HTML_BLOCK.finditer(source):
        text = _plain(source[start : tag.start()])
        if text:
            blocks.append((level, text))
        start = tag.end()
        closing, name = tag.group(1), tag.group(2).lower()
        if name[0] == "h" and name[1:].isdigit():
            level = PROSE if closing else int(name[1])
        elif name == "dt":
            level = PROSE if closing else TERM
        elif name not in ("p", "div", "br") or level == PROSE:
            level = PROSE
    return blocks


_ROFF_FONT = re.compile(r"\\f(\[[^\]]*\]|\(..|.)|\\[&/,|^%:]|\\s[-+]?\d+|\\m\[[^\]]*\]")
_ROFF_NAMED = {"-": "-", "e": "\\", "(lq": '"', "(rq": '"', "(aq": "'", "(cq": "'", "(oq": "'", "(bu": "", "(em": "-", "(en": "-", "(co": "", "(dq": '"', "~": " ", " ": " ", "'": "'", "`": "`", "0": " "}
_ROFF_ESCAPE = re.compile(r"\\(\([^\s]{2}|\[[^\]]*\]|\*\(..|\*.|.)")
_ROFF_WORDS = re.compile(r"\"((?:[^\"]|\"\")*)\"|(\S+)")


def _roff_plain(line: str) -> str:
    line = _ROFF_FONT.sub("", line.split('\\"')[0])
    return _ROFF_ESCAPE.sub(lambda found: _ROFF_NAMED.get(found.group(1), ""), line)


def _roff_words(rest: str, glue: str) -> str:
    return glue.join((quoted or bare) for quoted, bare in _ROFF_WORDS.findall(rest))


_MDOC_QUIET = {"Os", "Dt", "Dd", "Bk", "Ek", "Xo", "Xc", "El", "Bd", "Ed", "Nd"}
_MDOC_MACRO = re.compile(r"\b(Ar|Fl|Nm|Cm|Pa|Xr|Op|Ns|Ic|Va|Fa|Fn|Ft|Li|Sy|Em|Dq|Sq|Pq|Ql|Ev|Er|Dv|No|Ta|Oc|Oo|Ad|Brq|Bq)\b ?")


def manual_blocks(source: str) -> list[Block]:
    """Of a page in man or mdoc macros. Examples and everything between .nf and .fi are left out."""
    blocks: list[Block] = []
    words: list[str] = []
    name = ""
    term = False
    quiet = False

    def flush(level: int = PROSE) -> None:
        text = _SPACE.sub(" ", " ".join(words)).strip()
        words.clear()
        if text:
            blocks.append((level, text))

    for line in source.split("\n"):
        if line[:1] in (".", "'"):
            macro, _, rest = line[1:].strip().partition(" ")
            rest = _roff_plain(rest)
            if macro in ("SH", "Sh", "SS", "Ss"):
                flush()
                words.append(_roff_words(rest, " "))
                flush(1 if macro.lower() == "sh" else 2)
            elif macro in ("PP", "LP", "P", "Pp", "sp", "RS", "RE", "HP", "El", "Bl"):
                flush()
            elif macro in ("nf", "EX", "Bd"):
                flush()
                quiet = True
            elif macro in ("fi", "EE", "Ed"):
                words.clear()
                quiet = False
            elif macro in ("TP", "TQ"):
                flush()
                term = True
            elif macro in ("IP", "It"):
                flush()
                words.append(_MDOC_MACRO.sub("", _roff_words(rest, " ")))
                flush(TERM)
            elif macro == "Nm":
                name = rest or name
                words.append(name)
            elif macro == "Nd":
                words.append("- " + rest)
            elif macro in ("B", "I", "SM", "SB"):
                words.append(_roff_words(rest, " "))
            elif macro in ("BR", "BI", "IR", "RB", "RI", "IB"):
                words.append(_roff_words(rest, ""))
            elif macro[:1].isupper() and macro[1:2].islower() and macro not in _MDOC_QUIET:
                words.append(_MDOC_MACRO.sub("", rest))
            else:
                continue
            if term and macro not in ("TP", "TQ"):
                flush(TERM)
                term = False
        elif not line.strip():
            flush()
        else:
            words.append(_roff_plain(line))
            if term:
                flush(TERM)
                term = False
        if quiet:
            words.clear()
    flush()
    return blocks


_UNDERLINE = re.compile(r"^([=\-~^\"'*#+.`:])\1{2,}\s*$")
_MARKS = re.compile(r"[*`]{1,3}|\[([^\]]*)\]\([^)]*\)|:[a-z:]+:`([^`<]*)[^`]*`|`([^`<]*)<[^>]*>`_+|\b[CBFLIX]<+([^<>]*)>+")


def _unmarked(text: str) -> str:
    return _MARKS.sub(lambda found: next((part for part in found.groups() if part), ""), text).strip()


def marked_blocks(source: str) -> list[Block]:
    """Of Markdown, reStructuredText, POD, AsciiDoc and plain text. Indented paragraphs are code or quotations: left out."""
    blocks: list[Block] = []
    for chunk in re.split(r"\n\s*\n", source.replace("\r", "")):
        lines = chunk.strip("\n").split("\n")
        first = lines[0]
        heading = re.match(r"^(#{1,6}|={1,6}|=head[1-4]|=item|=over)\s+(\S.*?)\s*[#=]*$", first)
        if heading:
            mark = heading.group(1)
            blocks.append((TERM if mark == "=item" else 2, _unmarked(heading.group(2))))
            lines = lines[1:]
        elif len(lines) > 1 and _UNDERLINE.match(lines[1]):
            blocks.append((2, _unmarked(first)))
            lines = lines[2:]
        elif len(lines) > 2 and _UNDERLINE.match(first) and _UNDERLINE.match(lines[2]):
            blocks.append((1, _unmarked(lines[1])))
            lines = lines[3:]
        if not lines or lines[0].startswith(("    ", "\t", "```", ".. ", "|", "//", "<")):
            continue
        text = _unmarked(" ".join(line.strip() for line in lines))
        if text:
            blocks.append((PROSE, text))
    return blocks
