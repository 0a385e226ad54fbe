"""Writes the model as the file that the product reads; README.md says what stands where."""

import hashlib
import struct

import numpy as np

MAGIC = b"KHEMBED1"
HEADER_BYTES = 128
ALIGNMENT = 16
_HASH_SEED = 0x811C9DC5
_HASH_PRIME = 0x01000193


def word_hash(word: str) -> int:
    """FNV-1a over UTF-16 code units, as `src/search/unit-hash.ts` has it, unsigned."""
    value = _HASH_SEED
    units = word.encode("utf-16-le")
    for at in range(0, len(units), 2):
        value = ((value ^ (units[at] | units[at + 1] << 8)) * _HASH_PRIME) & 0xFFFFFFFF
    return value


def quantized(vectors: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """@returns levels as int8, and one float32 scale a row: a component is level * scale"""
    top = 2 ** (bits - 1) - 1
    if bits == 8:
        scales = np.abs(vectors).max(axis=1) / top
    else:
        scales = best_scales(vectors, top)
    scales = np.maximum(scales, 1e-12).astype(np.float32)
    return np.clip(np.rint(vectors / scales[:, None]), -top, top).astype(np.int8), scales


def best_scales(vectors: np.ndarray, top: int) -> np.ndarray:
    """With few levels the largest component should not set the scale: the one of the least square error does."""
    largest = np.abs(vectors).max(axis=1)
    best, best_error = largest / top, np.full(len(vectors), np.inf)
    for share in np.arange(0.4, 1.01, 0.05):
        scales = np.maximum(largest * share / top, 1e-12)[:, None]
        error = ((np.clip(np.rint(vectors / scales), -top, top) * scales - vectors) ** 2).sum(axis=1)
        better = error < best_error
        best = np.where(better, scales[:, 0], best)
        best_error = np.where(better, error, best_error)
    return best


def packed(levels: np.ndarray, bits: int) -> bytes:
    """Eight bits: one byte a component. Four: two a byte, the earlier in the low half, each level + 8."""
    if bits == 8:
        return levels.tobytes()
    halves = (levels + 8).astype(np.uint8)
    return (halves[:, 0::2] | halves[:, 1::2] << 4).tobytes()


def write_artifact(path: str, words: list[str], vectors: np.ndarray, *, bits: int, seed: int, analyzer_version: int, unknown_length: float, training_digest: bytes) -> str:
    """@returns the SHA-256 of the file in hexadecimal"""
    hashes = np.array([word_hash(word) for word in words], dtype=np.uint32)
    order = np.lexsort((np.arange(len(words)), hashes))
    # Of two words with one hash the more frequent stays: the index knows hashes alone.
    order = order[np.concatenate([[True], hashes[order][1:] != hashes[order][:-1]])]
    words = [words[row] for row in order]
    levels, scales = quantized(vectors[order], bits)
    texts = [word.encode("utf-8") for word in words]
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype("<u4")
    sections = [hashes[order].astype("<u4").tobytes(), scales.astype("<f4").tobytes(), packed(levels, bits), starts.tobytes(), b"".join(texts)]
    body, offsets, at = b"", [], HEADER_BYTES
    for section in sections:
        offsets.append(at)
        padded = section + b"\0" * (-len(section) % ALIGNMENT)
        body += padded
        at += len(padded)
    numbers = struct.pack("<7If", 1, analyzer_version, len(words), vectors.shape[1], bits, seed, len(starts) - 1, unknown_length)
    header = MAGIC + numbers + struct.pack("<5I", *offsets) + b"\0" * 4
    header += training_digest + hashlib.sha256(body).digest()
    assert len(header) == HEADER_BYTES, len(header)
    with open(path, "wb") as out:
        out.write(header + body)
    return hashlib.sha256(header + body).hexdigest()
