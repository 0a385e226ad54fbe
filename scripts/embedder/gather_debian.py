"""Descriptions of Debian packages: short with long, paragraph with paragraph.

    python3 gather_debian.py --packages Packages --translation Translation-en --out debian.tsv

`Packages` tells the source package of each package; `Translation-en` is the English text. Both may be given several
times, for several releases; a description that two releases share counts once.
"""

import argparse
import re
from typing import Iterator

from corpus import Record, is_english, prose_records, write_records

# Said of thousands of packages: it tells them apart from nothing.
_BOILERPLATE = re.compile(r"^(This (is a |meta)?package (contains|provides|includes|is|depends)|This is a (dummy|transitional))")


def stanzas(path: str) -> Iterator[dict[str, str]]:
    """Fields by name; continuation lines are joined by line feeds."""
    fields: dict[str, str] = {}
    last = ""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                if fields:
                    yield fields
                fields = {}
            elif line[0] == " ":
                fields[last] += "\n" + line[1:]
            else:
                last, _, value = line.partition(": ")
                fields[last] = value
    if fields:
        yield fields


def sources_of(paths: list[str]) -> dict[str, str]:
    sources = {}
    for path in paths:
        for fields in stanzas(path):
            name = fields["Package"]
            sources[name] = fields.get("Source", name).split(" ")[0]
    return sources


def paragraphs_of(long_text: str) -> list[str]:
    """A line of one dot parts paragraphs; an indented line is an item of a list, and each is a paragraph."""
    paragraphs: list[str] = []
    is_open = False
    for line in long_text.split("\n"):
        if line.strip() in ("", "."):
            is_open = False
        elif line.startswith(" ") or line.startswith(("* ", "- ")):
            paragraphs.append(line.lstrip(" *-"))
            is_open = True
        elif is_open:
            paragraphs[-1] += " " + line
        else:
            paragraphs.append(line)
            is_open = True
    return [text for text in paragraphs if is_english(text) and not _BOILERPLATE.match(text)]


def descriptions(paths: list[str], sources: dict[str, str]) -> Iterator[Record]:
    for path in paths:
        for fields in stanzas(path):
            name = fields["Package"]
            short, _, long_text = fields.get("Description-en", "").partition("\n")
            group = sources.get(name, name)
            # What stands in brackets names the part of a whole: (development files), (common files).
            short = re.sub(r"\s*\([^)]*\)$", "", short)
            paragraphs = paragraphs_of(long_text)
            if not paragraphs:
                continue
            yield Record("short", group, short, " ".join(paragraphs))
            yield from prose_records(group, paragraphs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", action="append", required=True)
    parser.add_argument("--translation", action="append", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8") as out:
        print("debian", write_records(descriptions(options.translation, sources_of(options.packages)), out))


if __name__ == "__main__":
    main()
