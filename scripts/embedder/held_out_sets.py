"""Retrieval sets to choose by, from packages that no choosing run trains on, and from paraphrases written for it.

    python3 held_out_sets.py --paraphrases paraphrases.tsv --out SETS debian.tsv documents.tsv

Each is a file for `knowhow eval`. One document a query is relevant; documents without a query stand beside them.
"""

import argparse
import json
import random
import re
from pathlib import Path

from corpus import Record, is_held_out, read_records

QUERIES_MAX = 400
DOCUMENTS_MAX = 2_500
DOCUMENT_WORDS_MAX = 80
DISTRACTORS = 1_000
SEED = 5
# Of the set of pairs that share no word, from each of the others.
UNSHARED_QUERIES, UNSHARED_DOCUMENTS = 150, 1_000
UNSHARED_FROM = ("descriptions", "headings", "manuals", "modules")
STEM_LETTERS = 5
_WORD = re.compile(r"[a-z0-9]+")

Pair = tuple[str, str]


def shortened(text: str) -> str:
    return " ".join(text.split()[:DOCUMENT_WORDS_MAX])


def pairs_of_kind(records: list[Record], kind: str) -> list[Pair]:
    """One pair a text on either side, so that nothing right counts as wrong for being a repeat."""
    lefts: set[str] = set()
    rights: set[str] = set()
    pairs = []
    for record in records:
        left, right = record.left, shortened(record.right)
        if record.kind != kind or len(left.split()) < 3 or left in lefts or right in rights:
            continue
        lefts.add(left)
        rights.add(right)
        pairs.append((left, right))
    return pairs


def write_set(path: Path, pairs: list[Pair], query_count: int, distractors: list[str]) -> None:
    with open(path, "w", encoding="utf-8") as out:
        write = lambda record: out.write(json.dumps(record, ensure_ascii=False) + "\n")
        for number, (_, right) in enumerate(pairs):
            write({"kind": "doc", "id": f"d{number:04}", "text": right})
        for number, text in enumerate(distractors):
            write({"kind": "doc", "id": f"x{number:04}", "text": text})
        for number, (left, _) in enumerate(pairs[:query_count]):
            write({"kind": "query", "id": f"q{number:04}", "text": left})
            write({"kind": "qrel", "query": f"q{number:04}", "doc": f"d{number:04}", "grade": 1})


def unshared(pair: Pair) -> Pair:
    """The right side without words that begin as one of the left does: a paraphrase, made by force."""
    beginnings = {word[:STEM_LETTERS] for word in _WORD.findall(pair[0].lower())}
    kept = [word for word in pair[1].split() if not any(part[:STEM_LETTERS] in beginnings for part in _WORD.findall(word.lower()))]
    return pair[0], " ".join(kept)


def lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paraphrases", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("records", nargs="+")
    options = parser.parse_args()
    records = [record for path in options.records for record in read_records(path) if is_held_out(record.group)]
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    generator = random.Random(SEED)
    sets = {name: pairs_of_kind(records, kind) for name, kind in
            (("descriptions", "short"), ("manuals", "manual"), ("headings", "heading"), ("modules", "module"), ("options", "term"))}
    for name, pairs in sets.items():
        generator.shuffle(pairs)
        write_set(folder / f"{name}.jsonl", pairs[:DOCUMENTS_MAX], QUERIES_MAX, [])
        print(name, len(pairs))
    mixed = [unshared(pair) for name in UNSHARED_FROM for pair in sets[name][:UNSHARED_QUERIES]]
    others = [right for name in UNSHARED_FROM for _, right in sets[name][UNSHARED_QUERIES:UNSHARED_DOCUMENTS]]
    write_set(folder / "unshared.jsonl", mixed, len(mixed), others)
    lines = Path(options.paraphrases).read_text(encoding="utf-8").splitlines()
    purposes = [left for left, _ in sets["manuals"] + sets["modules"]]
    generator.shuffle(purposes)
    distractors = [f"When you need to {lower_first(text)}" for text in purposes[:DISTRACTORS]]
    write_set(folder / "paraphrases.jsonl", [tuple(line.split("\t")) for line in lines], QUERIES_MAX, distractors)


if __name__ == "__main__":
    main()
