"""Records of training text: one a line, `kind TAB group TAB left TAB right`. Knows nothing of where texts come from.

`kind` says how left and right belong together ("name", "short", "heading", ...); a record without a right side is a
text of its own. `group` is the source package, by which texts are held out for testing.
"""

import re
import zlib
from typing import Iterable, Iterator, NamedTuple, TextIO

# A side longer than this is cut at a word: later words of a long paragraph say little about its beginning.
SIDE_CHARACTERS_MAX = 1_200
HELD_OUT_SHARE = 4
# The registries are no source packages. Ansible's modules are one-line purposes with descriptions, a set of its own kind that would be torn apart by chance.
NEVER_HELD_OUT = frozenset({"python", "javascript"})
ALWAYS_HELD_OUT = frozenset({"ansible"})

_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])")
_WORD = re.compile(r"[a-z]+")
# Enough of them, and a text is English: no other language of the sources has so many.
_ENGLISH = frozenset(
    "the a an of to and in is for on with that this it be are as by or from you can if not at when which your will".split()
)
ENGLISH_SHARE_MIN = 0.12


class Record(NamedTuple):
    kind: str
    group: str
    left: str
    right: str


def one_line(text: str) -> str:
    """The text with single spaces, at most SIDE_CHARACTERS_MAX characters."""
    line = _SPACE.sub(" ", text).strip()
    if len(line) <= SIDE_CHARACTERS_MAX:
        return line
    return line[:SIDE_CHARACTERS_MAX].rsplit(" ", 1)[0]


def sentences(paragraph: str) -> list[str]:
    return _SENTENCE_END.split(paragraph)


def is_english(paragraph: str) -> bool:
    """Whether a paragraph of some length is English prose; short ones and code are not."""
    words = _WORD.findall(paragraph.lower())
    if len(words) < 8:
        return False
    return sum(word in _ENGLISH for word in words) >= ENGLISH_SHARE_MIN * len(words)


def is_held_out(group: str) -> bool:
    """A quarter of the source packages, by a checksum of the name, so that the choice never moves."""
    if group in NEVER_HELD_OUT:
        return False
    return group in ALWAYS_HELD_OUT or zlib.crc32(group.encode()) % HELD_OUT_SHARE == 0


def prose_records(group: str, paragraphs: list[str]) -> Iterator[Record]:
    """What running text gives by itself: each paragraph with the next, and each sentence with the rest of its paragraph.

    Of a paragraph with several sentences one is taken, by a checksum: deterministic, and not always the first.
    """
    for at, paragraph in enumerate(paragraphs):
        yield Record("text", group, paragraph, "")
        if at + 1 < len(paragraphs):
            yield Record("next", group, paragraph, paragraphs[at + 1])
        parts = sentences(paragraph)
        if len(parts) > 1 and len(paragraph) > 120:
            chosen = zlib.crc32(paragraph.encode()) % len(parts)
            yield Record("sentence", group, parts[chosen], " ".join(parts[:chosen] + parts[chosen + 1 :]))


def write_records(records: Iterable[Record], out: TextIO) -> dict[str, int]:
    """Writes each distinct record once. Returns how many of each kind."""
    seen: set[int] = set()
    counts: dict[str, int] = {}
    for record in records:
        fields = (record.kind, record.group, one_line(record.left), one_line(record.right))
        if not fields[2]:
            continue
        key = hash((fields[0], fields[2], fields[3]))
        if key in seen:
            continue
        seen.add(key)
        out.write("\t".join(fields) + "\n")
        counts[record.kind] = counts.get(record.kind, 0) + 1
    return counts


def read_records(path: str) -> Iterator[Record]:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield Record(*line.rstrip("\n").split("\t"))
