"""Trains the built-in embedder: `python3 train.py --data ANALYZED --out builtin-embedder.bin`; README.md has the steps.

Set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1: with one thread the same data and seed give the same file.
"""

import argparse
import dataclasses
import hashlib
import os
from pathlib import Path

import numpy as np

from artifact import write_artifact
from contrastive import Settings, train
from start_vectors import start_vectors
from training_data import TrainingData

ROWS, WIDTH, BITS = 29_000, 256, 8
# Of the largest kinds so many pairs are chosen by chance: more of them would only drown the others.
PAIRS_MAX = {"name": 300_000, "split": 350_000, "next": 200_000}
SEED = 1
# An unseen word is as long as a rare one that was trained.
UNKNOWN_LENGTH = 15.0


def digest_of(folder: str) -> bytes:
    digest = hashlib.sha256()
    for name in ("words.txt", "starts.i32", "terms.i32", "records.i32"):
        with open(Path(folder) / name, "rb") as file:
            while part := file.read(1 << 24):
                digest.update(part)
    return digest.digest()


def start_of(data: TrainingData, options) -> np.ndarray:
    """From the file if it is there: trials that differ only later share it."""
    if options.start and os.path.exists(options.start):
        return np.load(options.start)
    vectors = start_vectors(data, options.width, options.seed)
    if options.start:
        np.save(options.start, vectors)
    return vectors


def choose_pairs(data: TrainingData, seed: int) -> None:
    generator = np.random.default_rng(seed)
    for kind, limit in PAIRS_MAX.items():
        pairs = data.pairs.get(kind, ())
        if len(pairs) > limit:
            data.pairs[kind] = pairs[np.sort(generator.permutation(len(pairs))[:limit])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--hold-out", action="store_true", help="leave out the quarter of packages that trials are measured on")
    parser.add_argument("--start", help="where the start is kept for further trials")
    parser.add_argument("--vectors", help="also keep the vectors unrounded here")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--bits", type=int, choices=(4, 8), default=BITS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--without", default="", help="kinds of pairs left out, with commas")
    for field in dataclasses.fields(Settings):
        if field.name != "seed":
            parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=field.default)
    options = parser.parse_args()
    data = TrainingData(options.data, options.rows, options.hold_out, tuple(options.without.split(",")))
    choose_pairs(data, options.seed + 2)
    print(len(data.unit_texts), "texts;", {kind: len(own) for kind, own in data.pairs.items()}, flush=True)
    vectors = start_of(data, options)
    settings = Settings(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Settings)})
    vectors = train(vectors, data.weights, data.pairs, settings)
    if options.vectors:
        np.save(options.vectors, vectors)
    print("median row length", np.median(np.linalg.norm(vectors, axis=1)))
    print(write_artifact(
        options.out, data.words, vectors, bits=options.bits, seed=options.seed, unknown_length=UNKNOWN_LENGTH,
        analyzer_version=data.analyzer_version, training_digest=digest_of(options.data),
    ), options.out)


if __name__ == "__main__":
    main()
