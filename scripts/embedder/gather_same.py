"""Pairs of texts by different people about one thing: the nearest to paraphrases that public texts hold.

    python3 gather_same.py --folder DEBS --packages Packages --translation Translation-en \\
        --python python.tsv --javascript javascript.tsv --out same.tsv

- an option of a command, by its manual page, by the completions of fish and by those of zsh;
- a command, by its manual page and by the package of its name;
- a library, by its registry and by Debian.
"""

import argparse
import gzip
import itertools
import re
import subprocess
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Iterator

from corpus import Record, is_english, sentences, write_records
from document_text import PROSE, TERM, manual_blocks
from gather_debian import sources_of, stanzas
from gather_registries import summaries_by_name

_MANUAL = re.compile(r"/man/man[18]/([^/]+)\.[18][a-z]*\.gz$")
_LONG_OPTION = re.compile(r"--?([A-Za-z0-9][\w-]+)")
_FISH = re.compile(r"^\s*complete\b(?P<rest>.*)")
_FISH_TEXT = re.compile(r"(?:-d|--description)[ =](?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|(\w+))")
_FISH_COMMAND = re.compile(r"(?:-c|--command)[ =](\S+)|^\s+(?=[a-z])(\S+)")
_FISH_OPTION = re.compile(r"\s(?:-l|-o|--long-option|--old-option)[ =]?([\w-]+)")
_FISH_ARGUMENT = re.compile(r"\s(?:-a|--arguments)[ =]?['\"]?([\w-]+)['\"]?(?=\s|$)")
_FISH_CONDITION = re.compile(r"(?:using_command|seen_subcommand_from|use_subcommand|in_command)\s+([a-z][\w-]*)")
_ZSH = re.compile(r"--?([A-Za-z0-9][\w-]+)[=+*-]*(?:\}['\"]?)?['\"]?\[((?:[^\]\\]|\\.)+)\]")

# What was said of (command, option or nothing): the one who said it, the source package, the text.
Sayings = dict[tuple[str, str], list[tuple[str, str, str]]]


def files_of(package: Path, wanted: re.Pattern) -> Iterator[tuple[re.Match, str]]:
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as unpacking:
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
            for member in archive:
                found = wanted.search(member.name) if member.isfile() else None
                if found:
                    data = archive.extractfile(member).read()
                    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
                    yield found, data.decode("utf-8", errors="replace")


def add_manuals(said: Sayings, folder: Path, sources: dict[str, str]) -> None:
    for package in sorted(folder.glob("*.deb")):
        name = package.name.split("_")[0]
        for found, source in files_of(package, _MANUAL):
            add_manual(said, found.group(1), sources.get(name, name), manual_blocks(source))


def add_manual(said: Sayings, command: str, group: str, blocks) -> None:
    section = term = ""
    for level, text in blocks:
        if level > PROSE:
            section, term = text.upper(), ""
        elif level == TERM:
            term = text
        elif section == "NAME" and " - " in text:
            said[command, ""].append(("manual", group, text.partition(" - ")[2]))
        elif term:
            for option in _LONG_OPTION.findall(term)[:3]:
                said[command, option].append(("manual", group, " ".join(sentences(text)[:2])))
            term = ""


def add_fish(said: Sayings, package: Path) -> None:
    for _, source in files_of(package, re.compile(r"/completions/[^/]+\.fish$")):
        for line in source.replace("\\\n", " ").split("\n"):
            found = _FISH.match(line)
            text = found and _FISH_TEXT.search(found["rest"])
            command = found and _FISH_COMMAND.search(found["rest"])
            if not text or not command:
                continue
            name = next(part for part in command.groups() if part)
            under = _FISH_CONDITION.search(line)
            option, argument = _FISH_OPTION.search(line), _FISH_ARGUMENT.search(line)
            words = next(part for part in text.groups() if part is not None).replace("\\'", "'")
            if option:
                said[f"{name}-{under.group(1)}" if under else name, option.group(1)].append(("fish", "fish", words))
            elif argument:
                said[f"{name}-{argument.group(1)}", ""].append(("fish", "fish", words))


def add_zsh(said: Sayings, package: Path) -> None:
    for found, source in files_of(package, re.compile(r"/functions/.*/_([\w.-]+)$")):
        for option, words in _ZSH.findall(source):
            said[found.group(1), option].append(("zsh", "zsh", words.replace("\\", "")))


def add_packages(said: Sayings, translations: list[str], sources: dict[str, str], registries: dict[str, dict[str, str]]) -> Iterator[Record]:
    """Puts descriptions beside the commands of their names; yields those of libraries with their registries'."""
    for path in translations:
        for fields in stanzas(path):
            name = fields["Package"]
            short, _, rest = fields.get("Description-en", "").partition("\n")
            short = re.sub(r"\s*\([^)]*\)$", "", short)
            group = sources.get(name, name)
            if (name, "") in said:
                said[name, ""].append(("package", group, short))
            for prefix, registry in (("python3-", "python"), ("node-", "javascript")):
                key = re.sub(r"[-_.]", "", name.removeprefix(prefix)).lower()
                summary = registries[registry].get(key) if name.startswith(prefix) else None
                if summary:
                    yield Record("same", group, summary, short)
                    first = rest.split("\n .")[0]
                    if is_english(first):
                        yield Record("same", group, summary, first)


def said_twice(said: Sayings) -> Iterator[Record]:
    for (command, _), sayings in said.items():
        manuals = [group for who, group, _ in sayings if who in ("manual", "package")]
        group = manuals[0] if manuals else command
        for one, other in itertools.combinations(sayings, 2):
            # Two of one hand are about two commands, or the same words.
            if one[0] != other[0] and one[2].lower().strip(".") != other[2].lower().strip("."):
                if len(one[2].split()) > 1 and len(other[2].split()) > 1:
                    yield Record("same", group, one[2], other[2])


def all_records(options) -> Iterator[Record]:
    folder = Path(options.folder)
    sources = sources_of(options.packages)
    said: Sayings = defaultdict(list)
    add_manuals(said, folder, sources)
    add_fish(said, next(folder.glob("fish-common_*.deb")))
    add_zsh(said, next(folder.glob("zsh-common_*.deb")))
    registries = {"python": summaries_by_name(options.python), "javascript": summaries_by_name(options.javascript)}
    yield from add_packages(said, options.translation, sources, registries)
    yield from said_twice(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--packages", action="append", required=True)
    parser.add_argument("--translation", action="append", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--javascript", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8") as out:
        print("same", write_records(all_records(options), out))


if __name__ == "__main__":
    main()
