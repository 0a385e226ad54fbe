"""Where training starts: positive pointwise mutual information of terms that share texts, and its leading directions."""

import numpy as np
import scipy.sparse as sp

from training_data import TrainingData

CONTEXT_POWER = 0.75
# Pairs seen less often than this are chance.
COUNT_MIN = 0.1
TEXTS_A_STEP = 50_000
OVERSAMPLING = 16
POWER_STEPS = 1


def cooccurrence(data: TrainingData) -> sp.csr_matrix:
    """Terms x terms; in a text of n terms each pair weighs 1 / (n - 1), so a long text says no more than a short one."""
    presence = data.weights[data.unit_texts].copy()
    presence.data[:] = 1
    lengths = np.diff(presence.indptr)
    total = None
    for start in range(0, presence.shape[0], TEXTS_A_STEP):
        part = presence[start : start + TEXTS_A_STEP]
        scale = sp.diags((1 / np.sqrt(np.maximum(lengths[start : start + TEXTS_A_STEP] - 1, 1))).astype(np.float32))
        scaled = scale @ part
        counts = (scaled.T @ scaled).tocsr()
        total = counts if total is None else total + counts
    total.setdiag(0)
    total.data[total.data < COUNT_MIN] = 0
    total.eliminate_zeros()
    return total


def positive_information(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Smoothed PPMI; rare counts are discounted by count / (count + 1)."""
    row_sums = np.asarray(counts.sum(axis=1)).ravel()
    context = row_sums**CONTEXT_POWER
    context /= context.sum()
    matrix = counts.tocoo()
    expected = row_sums[matrix.row] * context[matrix.col]
    information = np.log(np.maximum(matrix.data / np.maximum(expected, 1e-12), 1e-12))
    information *= matrix.data / (matrix.data + 1)
    kept = information > 0
    return sp.csr_matrix(
        (information[kept].astype(np.float32), (matrix.row[kept], matrix.col[kept])), shape=counts.shape
    )


def leading_directions(matrix: sp.csr_matrix, width: int, seed: int) -> np.ndarray:
    """Left singular vectors by a randomised range finder (Halko, Martinsson and Tropp, 2011)."""
    generator = np.random.default_rng(seed)
    sample = matrix @ generator.standard_normal((matrix.shape[1], width + OVERSAMPLING), dtype=np.float32)
    for _ in range(POWER_STEPS):
        basis, _ = np.linalg.qr(sample)
        basis, _ = np.linalg.qr(matrix.T @ basis)
        sample = matrix @ basis
    basis, _ = np.linalg.qr(sample)
    small = (matrix.T @ basis).T
    left, _, _ = np.linalg.svd(small @ small.T)
    return (basis @ left[:, :width]).astype(np.float32)


def start_vectors(data: TrainingData, width: int, seed: int) -> np.ndarray:
    """Terms x width: the direction of each term by its company, as long as its IDF."""
    vectors = leading_directions(positive_information(cooccurrence(data)), width, seed)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    generator = np.random.default_rng(seed + 1)
    vectors = np.where(lengths > 1e-9, vectors, generator.standard_normal(vectors.shape, dtype=np.float32))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    frequency = np.log(len(data.unit_texts) / np.maximum(data.text_counts, 1))
    return (vectors * np.maximum(frequency, 0.5)[:, None]).astype(np.float32)
