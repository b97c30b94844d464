"""A client of a running server: ingests texts by GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import httpx

from server.commands.outcomes import Outcome
from server.commands.sources import Source
from server.errors import BadUserInput, ServerError, UpstreamUnavailable
from server.terms import Authority

__all__ = ["Client"]

_INGEST = """
mutation Ingest($input: IngestDocumentInput!) {
  ingestDocument(input: $input) {
    created
    document { id }
    ingestion { id status error entitiesFound factsFound relationshipsFound rejected { reason } }
  }
}
"""
_HOUR = 3600.0  # a long document is read while the request waits


class Refused(ServerError):
    """What the server said."""


def endpoint(url: str) -> httpx.URL:
    """Return the address of the GraphQL endpoint of a server: /graphql, where the url names no path.

    Raises:
        BadUserInput: it is no address of a web server.
    """
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise BadUserInput(f"{url} is no url: {error}.") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise BadUserInput(f"{url} is no url: write http://127.0.0.1:8000/graphql, say.")
    return address if address.path not in ("", "/") else address.copy_with(path="/graphql")


class Client:
    """Ingests into one volume of a server. Close it after use."""

    concurrency = 4

    def __init__(self, url: str, volume: str, authority: Authority) -> None:
        self._address = endpoint(url)
        self._shared = {"volume": volume, "authority": authority.value, "wait": True}
        local = self._address.host in ("localhost", "127.0.0.1", "::1")
        # A proxy that the environment names is for the network, not for this machine.
        self._http = httpx.AsyncClient(timeout=httpx.Timeout(10.0, read=_HOUR), trust_env=not local)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ingest(self, source: Source, text: str) -> Outcome:
        """Have a text ingested, and wait for it.

        Raises:
            Refused: the server refuses it.
            UpstreamUnavailable: the server does not answer, or not as a GraphQL server does.
        """
        input = {"title": source.title, "text": text, "mimeType": source.mime_type, **self._shared}
        if source.uri is not None:
            input["uri"] = source.uri
        payload = (await self._execute(_INGEST, {"input": input}))["ingestDocument"]
        ingestion = payload["ingestion"]
        return Outcome(
            source.path,
            document=payload["document"]["id"],
            ingestion=ingestion["id"],
            status=ingestion["status"],
            created=payload["created"],
            entities=ingestion["entitiesFound"],
            facts=ingestion["factsFound"],
            relationships=ingestion["relationshipsFound"],
            rejected=len(ingestion["rejected"]),
            error=ingestion["error"],
        )

    async def _execute(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        try:
            response = await self._http.post(
                self._address,
                json={"query": query, "variables": variables},
                headers={"accept": "application/graphql-response+json, application/json"},
            )
            answer = response.json()
        except httpx.HTTPError as error:
            raise UpstreamUnavailable(f"{self._address} does not answer: {error or type(error).__name__}.") from error
        except ValueError as error:
            raise UpstreamUnavailable(f"{self._address} is no GraphQL server: it answers no JSON.") from error
        errors, data = (answer.get("errors"), answer.get("data")) if isinstance(answer, dict) else (None, None)
        if errors:
            raise Refused("; ".join(str(error.get("message")) for error in errors))
        if not isinstance(data, dict):
            raise UpstreamUnavailable(f"{self._address} is no GraphQL server: its answer has no data.")
        return data
