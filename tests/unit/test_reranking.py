"""Re-ranking by late interaction: how near tokens come to each other, and what becomes of a ranking by that."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.config import Settings
from server.embeddings import MiniLM, QueryTokens, reranker_of
from server.errors import Misconfigured
from server.ids import NodeKind
from server.services.retrieval.reranking import maxsim, placed
from server.store.rankings import Hit

WIDTH = 16
CHANCE = np.random.default_rng(3)


def signs(*rows: list[int]) -> bytes:
    """Return the signs of tokens, each told by numbers."""
    return np.packbits(np.array(rows) > 0, axis=1).tobytes()


def of(*rows: list[float], weights: list[float]) -> QueryTokens:
    """Return a query's tokens."""
    return QueryTokens(np.array(rows, np.float32), np.array(weights, np.float32))


def hits(*scores: float) -> list[Hit]:
    """Return hits numbered from 0."""
    return [Hit(UUID(int=n), NodeKind.CHUNK, score, n + 1, None) for n, score in enumerate(scores)]


def anew(ranking: list[Hit]) -> list[tuple[int, float]]:
    """Return (number, score) of a ranking."""
    return [(hit.id.int, round(hit.score, 4)) for hit in ranking]


def test_each_token_of_the_query_counts_by_its_weight_with_the_nearest_of_the_text() -> None:
    same, half = [1] * WIDTH, [1] * 8 + [-1] * 8
    query = of([0.25] * WIDTH, [0.25] * 8 + [-0.25] * 8, weights=[1.0, 3.0])
    found = maxsim(query, [signs(same), signs(half), signs(same, half), b""])
    assert found == [pytest.approx(0.25), pytest.approx(0.75), pytest.approx(1.0), None]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 5), st.integers(0, 1000))
def test_likeness_is_what_multiplying_token_by_token_gives(lengths: list[int], tokens: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    texts = [chance.normal(size=(length, WIDTH)) for length in lengths]
    vectors, weights = chance.normal(size=(tokens, WIDTH)).astype(np.float32), chance.random(tokens) + 0.1
    found = maxsim(
        QueryTokens(vectors, weights.astype(np.float32)), [signs(*text) if len(text) else b"" for text in texts]
    )
    for text, like in zip(texts, found, strict=True):
        if not len(text):
            assert like is None
            continue
        near = (vectors @ (np.where(text > 0, 1, -1) / WIDTH**0.5).T).max(axis=1)
        assert like == pytest.approx((near * weights).sum() / weights.sum(), abs=1e-4)


def test_without_a_token_nothing_is_near() -> None:
    assert maxsim(QueryTokens(np.empty((0, WIDTH), np.float32), np.empty(0, np.float32)), [signs([1] * WIDTH)]) == [
        None
    ]


def test_likeness_counts_six_tenths_and_the_score_four_between_the_scores_that_there_were() -> None:
    assert anew(placed(hits(0.9, 0.7, 0.5), [0.2, 0.4, 0.3])) == [(1, 0.82), (0, 0.66), (2, 0.62)]


def test_a_hit_whose_tokens_nobody_has_made_keeps_its_score() -> None:
    assert anew(placed(hits(0.9, 0.7, 0.5), [0.2, None, 0.3])) == [(2, 0.74), (1, 0.7), (0, 0.66)]
    assert placed(hits(0.9, 0.7), [None, None]) == hits(0.9, 0.7)


def test_of_equal_hits_likeness_tells_nothing_about_scores() -> None:
    assert placed(hits(0.5, 0.5), [0.1, 0.2]) == hits(0.5, 0.5)


async def test_tokens_of_a_text_are_the_signs_of_those_that_a_query_has() -> None:
    minilm = MiniLM()
    query = await minilm.query_tokens("the error code E-4711")
    long, text, empty = await minilm.token_signs(["word " * 400, "the error code E-4711", ""])
    assert (len(long), empty) == (254 * 48, b"")
    assert text == np.packbits(query.vectors > 0, axis=1).tobytes()
    assert query.vectors.shape == (len(query.weights), 384)
    assert np.allclose(np.linalg.norm(query.vectors, axis=1), 1)
    the, error, code, _, dash, *_ = query.weights
    assert dash < the < code < error or dash < the < error < code
    assert len((await minilm.query_tokens("word " * 400)).weights) == 32
    assert len((await minilm.query_tokens("")).weights) == 0
    await minilm.aclose()


class Endpoint:
    """An embedder that knows no tokens."""

    name, dimension = "endpoint", 8

    async def embed(self, texts: object) -> object:
        raise AssertionError(texts)

    async def aclose(self) -> None:
        """End nothing."""


def test_an_embedder_without_tokens_is_refused_where_searches_are_to_be_reranked() -> None:
    on, off = Settings(search_rerank="on"), Settings()
    assert reranker_of(Endpoint(), off) is None  # type: ignore[arg-type]
    assert isinstance(reranker_of(MiniLM(), on), MiniLM)
    with pytest.raises(Misconfigured, match="LOREGRAPH_SEARCH_RERANK=on compares tokens' vectors"):
        reranker_of(Endpoint(), on)  # type: ignore[arg-type]
