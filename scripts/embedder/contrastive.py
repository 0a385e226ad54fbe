"""Contrastive training: the two sides of a pair are pulled together and apart from the other pairs of their batch.

Symmetric InfoNCE on unit-length sums of rows (van den Oord and others, 2018), with row-wise Adam. One thread and one seed
give the same numbers again.
"""

import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

FIRST_MOMENT = 0.9
SECOND_MOMENT = 0.99
TINY = 1e-8


@dataclass
class Settings:
    batch: int = 1024
    temperature: float = 0.15
    passes: float = 1
    rate: float = 0.02
    warm_up: float = 0.05
    seed: int = 1
    # Share of pairs whose shared terms are taken from one side: what is left must be told from other words.
    unshared: float = 0.4


class RowAdam:
    """Adam with one second moment a row, for steps that touch few rows."""

    def __init__(self, shape: tuple[int, int]):
        self.first = np.zeros(shape, dtype=np.float32)
        self.second = np.zeros(shape[0], dtype=np.float32)
        self.steps = np.zeros(shape[0], dtype=np.int32)

    def step(self, rows: np.ndarray, touched: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.steps[touched] += 1
        age = self.steps[touched].astype(np.float32)
        first = FIRST_MOMENT * self.first[touched] + (1 - FIRST_MOMENT) * gradient
        second = SECOND_MOMENT * self.second[touched] + (1 - SECOND_MOMENT) * np.mean(gradient * gradient, axis=1)
        self.first[touched] = first
        self.second[touched] = second
        scale = rate / (1 - FIRST_MOMENT**age) / (np.sqrt(second / (1 - SECOND_MOMENT**age)) + TINY)
        rows[touched] -= scale[:, None] * first


def train(vectors: np.ndarray, weights: sp.csr_matrix, pairs: dict[str, np.ndarray], settings: Settings) -> np.ndarray:
    """@param vectors terms x width, changed in place. @param pairs text numbers by kind. @returns vectors"""
    generator = np.random.default_rng(settings.seed)
    batches_a_pass = sum(max(1, len(own) // settings.batch) for own in pairs.values())
    total = int(batches_a_pass * settings.passes)
    adam = RowAdam(vectors.shape)
    start, losses, done = time.time(), [], 0
    while done < total:
        for batch in shuffled_batches(pairs, settings.batch, generator):
            rate = settings.rate * schedule(done / total, settings.warm_up)
            losses.append(one_step(vectors, weights, batch, settings, generator, adam, rate))
            done += 1
            if done % 200 == 0:
                print(f"step {done} of {total}, loss {np.mean(losses[-200:]):.4f}, {time.time() - start:.0f} s", flush=True)
            if done == total:
                break
    return vectors


def schedule(progress: float, warm_up: float) -> float:
    """Up from nothing, then down to nothing in a line."""
    return progress / warm_up if progress < warm_up else (1 - progress) / (1 - warm_up)


def shuffled_batches(pairs: dict[str, np.ndarray], batch: int, generator) -> list[np.ndarray]:
    """Batches of one kind each, all kinds mixed; what fills no batch waits for the next pass."""
    batches: list[np.ndarray] = []
    for own in pairs.values():
        order = generator.permutation(len(own))
        size = min(batch, len(own))
        batches += [own[order[at : at + size]] for at in range(0, len(own) - size + 1, size)]
    generator.shuffle(batches)
    return batches


def one_step(vectors, weights, batch, settings: Settings, generator, adam: RowAdam, rate: float) -> float:
    left, right = weights[batch[:, 0]], weights[batch[:, 1]]
    if batch[0, 0] == batch[0, 1]:
        left, right = cut_in_two(left, generator)
    if settings.unshared > 0:
        left, right = without_shared(left, right, settings.unshared, generator)
    both = sp.vstack([left, right], format="csr")
    touched, columns = np.unique(both.indices, return_inverse=True)
    both = sp.csr_matrix((both.data, columns.astype(np.int32), both.indptr), shape=(both.shape[0], len(touched)))
    loss, gradient = loss_and_gradient(both, vectors[touched], settings.temperature)
    adam.step(vectors, touched, gradient, rate)
    return loss


def loss_and_gradient(both: sp.csr_matrix, rows: np.ndarray, temperature: float) -> tuple[float, np.ndarray]:
    """@param both the left texts and below them the right ones. @returns the mean loss and its gradient by `rows`"""
    half = both.shape[0] // 2
    sums = both @ rows
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    units = sums / lengths
    left, right = units[:half], units[half:]
    logits = (left @ right.T) / temperature
    logits -= logits.max()
    powers = np.exp(logits)
    by_left = powers / powers.sum(axis=1, keepdims=True)
    by_right = powers / powers.sum(axis=0, keepdims=True)
    diagonal = np.arange(half)
    loss = -0.5 * np.mean(np.log(by_left[diagonal, diagonal] + 1e-30) + np.log(by_right[diagonal, diagonal] + 1e-30))
    by_left += by_right
    by_left[diagonal, diagonal] -= 2
    by_left *= 0.5 / (half * temperature)
    to_units = np.vstack([by_left @ right, by_left.T @ left])
    to_sums = (to_units - units * np.sum(to_units * units, axis=1, keepdims=True)) / lengths
    return float(loss), both.T @ to_sums


def cut_in_two(texts, generator):
    """Each term goes to one side, as likely to either; both keep one at least."""
    order = generator.random(texts.nnz)
    rows = np.repeat(np.arange(texts.shape[0]), np.diff(texts.indptr))
    # The term of the lowest number goes left and the one of the highest right, so no side is empty.
    lowest, highest = np.minimum.reduceat(order, texts.indptr[:-1]), np.maximum.reduceat(order, texts.indptr[:-1])
    goes_left = ((order < 0.5) | (order == lowest[rows])) & (order != highest[rows])
    sides = []
    for chosen in (goes_left, ~goes_left):
        side = sp.csr_matrix((texts.data * chosen, texts.indices, texts.indptr), shape=texts.shape, copy=True)
        side.eliminate_zeros()
        sides.append(side)
    return sides


def without_shared(left, right, share: float, generator):
    """In `share` of the pairs one side loses what both have, if something is left of it."""
    chosen = generator.random(left.shape[0])
    has_left, has_right = left.copy(), right.copy()
    has_left.data[:], has_right.data[:] = 1, 1
    shared = has_left.multiply(has_right).tocsr()
    return (
        _less(left, shared, chosen < share / 2),
        _less(right, shared, (chosen >= share / 2) & (chosen < share)),
    )


def _less(side, shared, is_chosen: np.ndarray):
    lengths, shared_lengths = np.diff(side.indptr), np.diff(shared.indptr)
    is_chosen = is_chosen & (lengths > shared_lengths) & (shared_lengths > 0)
    removed = sp.diags(is_chosen.astype(np.float32)) @ shared
    kept = side - side.multiply(removed)
    kept = sp.csr_matrix(kept)
    kept.eliminate_zeros()
    return kept
