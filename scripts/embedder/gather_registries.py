"""Names and one-line summaries of the Python and JavaScript package registries, from public name-and-summary lists.

    python3 gather_registries.py --python python.tsv --javascript javascript.tsv --out registries.tsv

The lists are tab-separated with a heading line; the name stands first and the summary last.
"""

import argparse
import re
from typing import Iterator

from corpus import Record, write_records

SUMMARY_WORDS_MIN = 4
# Automatic remarks at the start of a summary, which its author did not write.
_REMARK = re.compile(r"^\[tested here:[^\]]*\]\s*")
_LATIN = re.compile(r"^[\x20-\x7e\u2010-\u201f\u2026]+$")
_JOINT = re.compile(r"[-_.@/]+|(?<=[a-z])(?=[A-Z])")
# Whoever publishes a hundred packages under one sentence has said it once.
SAME_SUMMARY_MAX = 1


def listed(path: str) -> Iterator[tuple[str, str]]:
    """Name and summary of each package whose summary says something in Latin letters."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        next(lines)
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            summary = _REMARK.sub("", fields[-1]).strip()
            if len(summary.split()) >= SUMMARY_WORDS_MIN and _LATIN.match(summary):
                yield fields[0], summary


def summaries_by_name(path: str) -> dict[str, str]:
    """By the name in lower case without its joints: `python-dateutil` and `python_dateutil` are one."""
    return {re.sub(r"[-_.]", "", name).lower(): summary for name, summary in listed(path)}


def summaries(path: str, registry: str):
    seen: dict[str, int] = {}
    for name, summary in listed(path):
        key = summary.lower()
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= SAME_SUMMARY_MAX:
            yield Record("name", registry, " ".join(part for part in _JOINT.split(name) if part), summary)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--javascript", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8") as out:
        for registry, path in (("python", options.python), ("javascript", options.javascript)):
            print(registry, write_records(summaries(path, registry), out))


if __name__ == "__main__":
    main()
