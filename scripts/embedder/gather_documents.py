"""Headings, paragraphs, explained terms and manual pages out of Debian packages, without unpacking them to disk.

    python3 gather_documents.py --folder DEBS --packages Packages --out documents.tsv

`DEBS` holds what `apt-get download $(cat packages.txt)` fetched. A package gives at most TEXTS_MAX paragraphs, so that no
manual of one project outweighs all others.
"""

import argparse
import gzip
import io
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Iterator

from corpus import Record, is_english, one_line, prose_records, write_records
from document_text import PROSE, TERM, Block, html_blocks, manual_blocks, marked_blocks, page_blocks
from gather_debian import sources_of

TEXTS_MAX = 6_000
FILE_BYTES_MAX = 2_000_000
# Of two thousand pages of an interface reference, the last say what the first did.
FILES_MAX = 3_000

_MANUAL = re.compile(r"/man/man[1-9][^/]*/[^/]+\.[1-9][a-z]*(\.gz)?$")
_OTHER_LANGUAGE = re.compile(r"/(man/(?!man)[a-z]{2}|(ar|bg|ca|cs|da|de|el|es|fa|fi|fr|hr|hu|id|it|ja|ko|lt|nb|nl|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi|zh)([-_][A-Za-z]+)?)/|\.(cs|da|de|es|fr|it|ja|ko|nl|pl|pt|ru|sv|tr|uk|zh)([-_.][A-Za-z]+)*\.(html|txt|gz)")
_MARKED = re.compile(r"\.(txt|md|rst|pod|adoc|asciidoc|asc)(\.gz)?$|/README[^/]*$|/FAQ[^/]*$|/NEWS[^/]*$")
_SKIPPED = re.compile(r"copyright|changelog|LICEN[CS]E|COPYING|AUTHORS|THANKS|genindex|search\.html|/_sources/|/tldr|tests?/", re.I)
_NUMBER = re.compile(r"^[\dA-Z]{0,2}[\d.]*\.?\s+|^Chapter \d+\.?\s*|^Appendix [A-Z]\.?\s*")


def files_of(package: Path) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of what may be a document, in the order of the package."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as unpacking:
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
            for member in archive:
                if not member.isfile() or member.size > FILE_BYTES_MAX or _SKIPPED.search(member.name):
                    continue
                if kind_of(member.name) is None:
                    continue
                file = archive.extractfile(member)
                if file is None:
                    continue
                data = file.read()
                yield member.name, gzip.decompress(data) if member.name.endswith(".gz") else data


def kind_of(path: str) -> str | None:
    if _OTHER_LANGUAGE.search(path):
        return None
    if _MANUAL.search(path):
        return "manual"
    if re.search(r"\.html?(\.gz)?$", path):
        return "html"
    if path.endswith(".page"):
        return "page"
    if path.endswith(".tag") and "lintian" in path:
        return "lintian"
    if path.endswith("/systemd.catalog"):
        return "catalog"
    if re.search(r"/ansible.*/modules/.*\.py$", path):
        return "ansible"
    return "marked" if _MARKED.search(path) and "/doc" in path or path.endswith(".pod") else None


def heading_text(text: str) -> str:
    return _NUMBER.sub("", text)


def section_records(group: str, blocks: list[Block]) -> Iterator[Record]:
    """Each heading with the first paragraph below it, each explained term with its explanation, and running text."""
    title = parent = heading = term = ""
    paragraphs: list[str] = []
    for level, text in blocks:
        if level == TERM:
            term = text
            continue
        if level != PROSE:
            yield from prose_records(group, paragraphs)
            paragraphs = []
            term = ""
            heading = heading_text(text)
            title = title or heading
            parent = heading if level <= 2 else parent
            continue
        if not is_english(text):
            term = ""
            continue
        if term:
            yield Record("term", group, term, text)
            term = ""
        elif heading:
            # A word or two, like "Options", say something only below what they are options of.
            above = parent if parent != heading else title
            left = f"{above} {heading}" if len(heading.split()) < 3 and above != heading else heading
            yield Record("heading", group, left, text)
            heading = ""
        paragraphs.append(text)
    yield from prose_records(group, paragraphs)


def manual_records(group: str, blocks: list[Block]) -> Iterator[Record]:
    """NAME with the beginning of DESCRIPTION, each option with what it does, and running text."""
    section = name = ""
    described = ""
    body: list[Block] = []
    for level, text in blocks:
        if level == 1:
            section = text.upper()
        elif section == "NAME" and level == PROSE and not name:
            name = text
        else:
            if section == "DESCRIPTION" and level == PROSE and len(described) < 400 and is_english(text):
                described = f"{described} {text}".strip()
            body.append((level, text))
    _, dash, what = name.partition(" - ")
    if dash and described:
        yield Record("manual", group, what, described)
    if dash:
        yield Record("command", group, re.sub(r"[-_,]", " ", name.partition(" - ")[0]), what)
    yield from section_records(group, body)


def tag_records(group: str, source: str) -> Iterator[Record]:
    """A tag of lintian: its name says in words what is wrong, its explanation why and what to do."""
    fields = dict(re.findall(r"^([A-Z][\w-]+):\s*((?:.*\n?)(?:[ \t].*\n?)*)", source, re.M))
    name, explanation = fields.get("Tag", ""), fields.get("Explanation", "")
    if name and explanation:
        yield Record("explanation", group, name.strip().replace("-", " "), explanation)


def catalog_records(group: str, source: str) -> Iterator[Record]:
    """An entry of systemd's message catalog: its subject, and below a blank line what it means."""
    for entry in source.split("\n-- ")[1:]:
        head, _, body = entry.partition("\n\n")
        subject = re.search(r"^Subject: (.*)", head, re.M)
        if subject and is_english(body):
            yield Record("explanation", group, re.sub(r"@\w+@", "", subject.group(1)), re.sub(r"@\w+@", "", body))


def module_records(source: str) -> Iterator[Record]:
    """A module of Ansible: one line, and what it does at length."""
    short = re.search(r"^short_description:\s*(.+)", source, re.M)
    long_text = re.search(r"^description:\s*\n((?:[ \t]+.*\n|\n)+)", source, re.M)
    group = "ansible"
    if not short or not long_text:
        return
    items = [one_line(item) for item in re.split(r"^\s*- ", long_text.group(1), flags=re.M) if item.strip()]
    plain = [re.sub(r"\b[A-Z]\(([^)]*)\)", r"\1", item).strip("\"'") for item in items]
    yield Record("module", group, short.group(1).strip("\"'"), " ".join(plain))
    yield from prose_records(group, [item for item in plain if is_english(item)])


def package_records(package: Path, group: str) -> Iterator[Record]:
    count = 0
    for number, (path, data) in enumerate(files_of(package)):
        source = data.decode("utf-8", errors="replace")
        kind = kind_of(path)
        if kind == "manual":
            records = manual_records(group, manual_blocks(source))
        elif kind == "html":
            records = section_records(group, html_blocks(source))
        elif kind == "page":
            records = section_records(group, page_blocks(source))
        elif kind == "lintian":
            records = tag_records(group, source)
        elif kind == "catalog":
            records = catalog_records(group, source)
        elif kind == "ansible":
            records = module_records(source)
        else:
            records = section_records(group, marked_blocks(source))
        for record in records:
            count += record.kind == "text"
            yield record
        if count > TEXTS_MAX or number > FILES_MAX:
            return


def all_records(folder: str, sources: dict[str, str]) -> Iterator[Record]:
    for package in sorted(Path(folder).glob("*.deb")):
        name = package.name.split("_")[0]
        yield from package_records(package, sources.get(name, name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--packages", action="append", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8") as out:
        print("documents", write_records(all_records(options.folder, sources_of(options.packages)), out))


if __name__ == "__main__":
    main()
