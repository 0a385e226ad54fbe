"""What `analyze-texts.ts` wrote, as arrays: texts as rows of a sparse matrix of term weights, and pairs of texts by kind."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from corpus import is_held_out


PIECES = ("sentence", "next")
# A summary of fewer terms is not cut in two.
SPLIT_TERMS_MIN = 6


class TrainingData:
    """Texts and pairs under the `rows` most frequent terms.

    `weights` is texts x terms, float32, 1 + log(frequency in the text); `text_counts` how many texts have each term.
    `pairs` has two text numbers a row, by kind; those of the kind "split" are equal, and each step cuts the text in two
    anew. `unit_texts` are the texts that co-occurrence is counted in.
    """

    def __init__(self, folder: str, rows: int, hold_out: bool, left_out_kinds: tuple[str, ...] = ()):
        path = Path(folder)
        read = lambda name: np.fromfile(path / f"{name}.i32", dtype="<i4")
        self.words = (path / "words.txt").read_text(encoding="utf-8").split("\n")[:rows]
        self.text_counts = read("counts")[:rows]
        self.analyzer_version = int((path / "analyzer-version.txt").read_text())
        kinds = (path / "kinds.txt").read_text(encoding="utf-8").split("\n")
        groups = (path / "groups.txt").read_text(encoding="utf-8").split("\n")
        records = read("records").reshape(-1, 4)
        if hold_out:
            held = np.array([is_held_out(group) for group in groups])
            records = records[~held[records[:, 1]]]
        self.weights = self._matrix(read("starts"), read("terms"))
        self.lengths = np.diff(self.weights.indptr)
        # A pair of which one side has no known term teaches nothing.
        has_terms = self.lengths > 0
        self.pairs: dict[str, np.ndarray] = {}
        for number, kind in enumerate(kinds):
            own = records[records[:, 0] == number]
            own = own[own[:, 3] >= 0]
            own = own[has_terms[own[:, 2]] & has_terms[own[:, 3]] & (own[:, 2] != own[:, 3])]
            if len(own) and kind not in left_out_kinds:
                self.pairs[kind] = own[:, 2:4].copy()
        # The pieces of paragraphs are there as paragraphs already.
        whole = records[~np.isin(records[:, 0], [kinds.index(kind) for kind in PIECES if kind in kinds])]
        used = np.unique(np.concatenate([whole[:, 2], whole[whole[:, 3] >= 0, 3]]))
        self.unit_texts = used[self.lengths[used] > 1]
        names = records[records[:, 0] == kinds.index("name")] if "name" in kinds else records[:0]
        split = np.unique(names[:, 3])
        split = split[self.lengths[split] >= SPLIT_TERMS_MIN]
        if "split" not in left_out_kinds:
            self.pairs["split"] = np.stack([split, split], axis=1)

    def _matrix(self, starts: np.ndarray, terms: np.ndarray) -> sp.csr_matrix:
        rows = len(self.words)
        text_of = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        known = (terms >= 0) & (terms < rows)
        ones = np.ones(int(known.sum()), dtype=np.float32)
        matrix = sp.csr_matrix((ones, (text_of[known], terms[known])), shape=(len(starts) - 1, rows))
        matrix.sum_duplicates()
        matrix.data = 1 + np.log(matrix.data)
        return matrix
