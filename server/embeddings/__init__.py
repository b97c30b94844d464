"""Embeddings: texts become unit vectors whose dot product says how close in meaning they are.

Owns the port (`Embedder`) and the choice of what stands behind it: MiniLM inside this process, the default, or an
endpoint. Storing vectors, and noticing that the model has changed, is left to the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from server.config import Settings
from server.embeddings.minilm import MiniLM
from server.embeddings.tokens import QueryTokens, TokenEmbedder
from server.errors import Misconfigured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Embedder", "MiniLM", "QueryTokens", "TokenEmbedder", "open_embedder", "reranker_of"]


class Embedder(Protocol):
    """Turns texts into vectors.

    `name` identifies the model exactly: vectors of different names must never be compared. `dimension` is the length of
    every vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, in order: shape (len(texts), dimension), every row of length 1.

        Any string embeds, blank ones included. The array is the caller's own.

        Raises:
            UpstreamUnavailable: the model cannot be reached or loaded, or answers nonsense.
        """
        ...

    async def aclose(self) -> None:
        """Release threads and connections; calls that still wait are refused. `embed` must not be called afterwards."""
        ...


async def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings ask for: an endpoint where embeddings_url is set, else MiniLM.

    MiniLM loads at its first text. An endpoint whose embeddings_dimension is unset is asked for one vector here and now.

    Raises:
        Misconfigured: the settings of the endpoint cannot be used.
        UpstreamUnavailable: the endpoint was to be asked for its dimension and does not answer.
    """
    if settings.embeddings_url is None:
        return MiniLM()
    from server.embeddings.endpoint import EndpointEmbedder  # here, because MiniLM needs no HTTP client

    key = settings.embeddings_key
    return await EndpointEmbedder.open(
        settings.embeddings_url,
        settings.embeddings_model,
        key=key.get_secret_value() if key else None,
        dimension=settings.embeddings_dimension,
    )


def reranker_of(embedder: Embedder, settings: Settings) -> TokenEmbedder | None:
    """Return the embedder as what re-ranks searches by its tokens, None where the settings do not ask for that.

    Raises:
        Misconfigured: they do, and the embedder knows no tokens.
    """
    if settings.search_rerank == "off":
        return None
    if isinstance(embedder, TokenEmbedder):
        return embedder
    raise Misconfigured(
        "LOREGRAPH_SEARCH_RERANK=on compares tokens' vectors, which an embeddings API does not give. Unset it, or LOREGRAPH_EMBEDDINGS_URL."
    )
