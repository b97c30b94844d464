"""Files sent ahead of their document: what POST /documents answers, what becomes of an upload, and what is refused."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import httpx
from api.conftest import Api
from sqlalchemy import update

from server import models
from server.ids import NodeKind, decode_id, encode_id, new_id
from server.store.relations import table_of
from server.store.transaction import utc_now

TEXT = "Ada Lind joined Northwind."
PAGE = (
    "<!doctype html><title>About Ada</title><nav>Home</nav><main><h1>Ada</h1><p>Ada Lind joined Northwind.</p></main>"
)
MADE = "created document { id title mimeType content } ingestion { status }"


async def post(api: Api, content: bytes | str, content_type: str | None = None, **query: str) -> httpx.Response:
    headers = {} if content_type is None else {"content-type": content_type}
    return await api.http.post("/documents", params=query, headers=headers, content=content)


async def upload(api: Api, content: bytes | str = TEXT, content_type: str | None = None, **query: str) -> str:
    answer = await post(api, content, content_type, **query)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def grow_old(api: Api, hours: float) -> None:
    """Make all uploads older than they are."""
    table = table_of(models.Upload)
    async with api.store.database.writing() as connection:
        await connection.execute(update(table).values(created_at=utc_now() - timedelta(hours=hours)))


async def texts(api: Api) -> list[str]:
    return [row["text"] for row in await api.rows(models.Upload)]


async def test_an_upload_is_answered_with_what_it_is_and_its_document_takes_its_place(api: Api) -> None:
    answer = await post(api, TEXT, name="folder/ada.txt")
    body = answer.json()
    assert (answer.status_code, body) == (
        201, {"id": body["id"], "mimeType": "text/plain", "title": None, "characters": 26}
    )  # fmt: skip
    decoded = decode_id(body["id"])
    assert decoded is not None
    assert decoded.kind is NodeKind.UPLOAD
    (row,) = await api.rows(models.Upload)
    del row["created_at"], row["volume_id"]
    assert row == {"id": decoded.id, "name": "ada.txt", "title": None, "mime_type": "text/plain", "size": 26,
                   "text": TEXT, "actor": "local"}  # fmt: skip
    made = await api.do("ingestDocument", MADE, title="Ada", upload=body["id"], wait=True)
    del made["document"]["id"]
    assert made == {
        "created": True,
        "document": {"title": "Ada", "mimeType": "text/plain", "content": TEXT},
        "ingestion": {"status": "DONE"},
    }
    assert await api.rows(models.Upload) == []


async def test_the_content_tells_the_type_and_the_claim_only_tells_markdown_from_text(api: Api) -> None:
    told = {}
    for content, claimed in [
        (PAGE, "application/pdf"),
        (PAGE, None),
        ("# Ada\n\nx", "text/markdown"),
        ("# Ada\n\nx", "image/png"),
    ]:
        body = (await post(api, content, claimed)).json()
        told[content[:3], claimed] = (body["mimeType"], body["title"], body["characters"])
    assert told == {
        ("<!d", "application/pdf"): ("text/html", "About Ada", 34),
        ("<!d", None): ("text/html", "About Ada", 34),
        ("# A", "text/markdown"): ("text/markdown", "Ada", 8),
        ("# A", "image/png"): ("text/plain", None, 8),
    }


async def test_a_document_has_the_type_of_its_file_and_text_may_be_said_to_be_markdown(api: Api) -> None:
    for number, (content, claimed, kind) in enumerate(
        [
            (PAGE, "text/plain", "text/html"),
            ("# One", "text/markdown", "text/markdown"),
            ("# Two", "text/plain", "text/plain"),
        ]
    ):
        id = await upload(api, content)
        made = await api.do("ingestDocument", MADE, title=f"{number}", upload=id, mimeType=claimed)
        assert made["document"]["mimeType"] == kind
    id = await upload(api, "# Three", "text/markdown")
    made = await api.do("ingestDocument", MADE, title="3", upload=id)
    assert made["document"]["mimeType"] == "text/markdown"


async def test_bytes_are_read_by_their_content_and_a_text_only_where_it_is_said_to_be_html(api: Api) -> None:
    page = base64.b64encode(PAGE.encode()).decode()
    read = {"title": "Ada", "mimeType": "text/html", "content": "# Ada\n\nAda Lind joined Northwind.\n"}
    made = [
        await api.do("ingestDocument", MADE, title="Ada", bytes=page, wait=True),
        await api.do("ingestDocument", MADE, title="Ada", text=PAGE, mimeType="text/html", wait=True),
        await api.do("ingestDocument", MADE, title="Ada", text=PAGE, wait=True),
    ]
    assert [one["created"] for one in made] == [True, False, True]
    for one in made:
        del one["document"]["id"]
    assert made[0]["document"] == made[1]["document"] == read
    assert made[2]["document"] == {"title": "Ada", "mimeType": "text/plain", "content": PAGE}
    refused = await api.refused("ingestDocument", title="Ada", text=TEXT, mimeType="application/pdf")
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "mimeType")
    assert refused["message"] == (
        "A text is text/plain, text/markdown or text/html. Send other files as bytes, or by POST /documents."
    )


async def test_a_form_with_one_file_is_an_upload(api: Api) -> None:
    form = {"file": ("dir/ada.md", b"# Ada\n\nShe joined.", "text/markdown")}
    answer = await api.http.post("/documents", files=form)
    assert answer.status_code == 201
    assert {**answer.json(), "id": ""} == {"id": "", "mimeType": "text/markdown", "title": "Ada", "characters": 18}
    (row,) = await api.rows(models.Upload)
    assert (row["name"], row["size"], row["text"]) == ("ada.md", 18, "# Ada\n\nShe joined.")
    named = await api.http.post("/documents", params={"name": "other.md"}, files=form)
    assert named.status_code == 201
    assert [row["name"] for row in await api.rows(models.Upload)] == ["ada.md", "other.md"]


GONE = "There is no such upload in this volume. It may have been used or be over its time: send the file again."


async def test_an_upload_is_known_in_its_volume_only_once_and_for_a_day(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    used, old, elsewhere = await upload(api, "One."), await upload(api, "Two."), await upload(api, volume="other")
    await grow_old(api, 23.9)
    await api.do("ingestDocument", MADE, title="T", upload=used, wait=True)
    await grow_old(api, 24.1)
    for id in (used, old, elsewhere, encode_id(NodeKind.UPLOAD, new_id())):
        refused = await api.refused("ingestDocument", title="T", upload=id)
        assert (refused["code"], refused["argument"], refused["message"]) == ("NOT_FOUND", "upload", GONE)
    for id in ("", "upl_", encode_id(NodeKind.DOCUMENT, new_id()), used.upper()):
        assert (await api.refused("ingestDocument", title="T", upload=id))["code"] == "NOT_FOUND"


async def test_an_upload_is_no_node(api: Api) -> None:
    id = await upload(api)
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=id) == {"node": None}


async def test_uploads_over_their_time_go_with_the_next_upload_of_any_volume(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    await upload(api, "Old one."), await upload(api, "Old two.", volume="other")
    await grow_old(api, 24.1)
    await upload(api, "New.")
    assert await texts(api) == ["New."]


async def test_deleting_a_document_or_a_volume_leaves_no_upload_with_its_words(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    for content in (TEXT, TEXT, "Another text."):
        await upload(api, content)
    await upload(api, volume="other")
    made = await api.do("ingestDocument", MADE, title="T", upload=await upload(api), wait=True)
    await api.do("deleteDocument", "deletedId", id=made["document"]["id"])
    assert sorted(await texts(api)) == [TEXT, "Another text."]
    await api.do("deleteVolume", "deletedId", volume="other", confirm="other")
    assert await texts(api) == ["Another text."]
    assert await api.holding("northwind") == []


async def test_a_request_with_a_key_is_answered_alike_though_its_upload_is_used(api: Api) -> None:
    id = await upload(api)
    asked = "created document { id } ingestion { id }"
    first = await api.do("ingestDocument", asked, title="T", upload=id, idempotencyKey="k", wait=True)
    assert first["created"] is True
    async with api.unchanged():
        assert await api.do("ingestDocument", asked, title="T", upload=id, idempotencyKey="k") == first
    again = await upload(api)
    assert await api.do("ingestDocument", asked, title="T", upload=again, idempotencyKey="k") == first
    assert await texts(api) == []
    assert await api.do("ingestDocument", asked, title="T", text=TEXT, idempotencyKey="k") == first
    other = await upload(api, "Another text.")
    for input, code in (
        ({"title": "Other", "upload": id, "idempotencyKey": "k"}, "CONFLICT"),
        ({"title": "T", "upload": other, "idempotencyKey": "k"}, "CONFLICT"),
        ({"title": "T", "upload": id, "idempotencyKey": "unused"}, "NOT_FOUND"),
        ({"title": "T", "upload": id}, "NOT_FOUND"),
    ):
        assert (await api.refused("ingestDocument", **input))["code"] == code


async def test_a_document_that_is_refused_leaves_its_upload(api: Api) -> None:
    await api.do("ingestDocument", MADE, title="T", text="Other content.", wait=True)
    id = await upload(api)
    assert (await api.refused("ingestDocument", title=" ", upload=id))["argument"] == "title"
    assert await texts(api) == [TEXT]
    assert (await api.do("ingestDocument", MADE, title="T", upload=id))["created"] is True


REFUSED: list[tuple[dict[str, Any], int, dict[str, Any]]] = [
    ({"content": b""}, 400, {"code": "BAD_USER_INPUT"}),
    ({"content": b"\x89PNG\r\n\x1a\n" + bytes(50)}, 400, {"code": "BAD_USER_INPUT"}),
    ({"content": b" \n"}, 400, {"code": "BAD_USER_INPUT"}),
    ({"content": TEXT, "params": {"volume": "nowhere"}}, 404, {"code": "NOT_FOUND", "argument": "volume"}),
    ({"content": TEXT, "params": {"volum": "default"}}, 400, {"code": "BAD_USER_INPUT", "argument": "volum"}),
    ({"content": TEXT, "params": {"name": "a\x07b"}}, 400, {"code": "BAD_USER_INPUT", "argument": "name"}),
    ({"content": TEXT, "params": {"name": "x" * 501}}, 400, {"code": "BAD_USER_INPUT", "argument": "name"}),
    ({"content": TEXT, "headers": {"content-encoding": "gzip"}}, 415, {"code": "BAD_USER_INPUT"}),
    ({"content": TEXT, "headers": {"content-type": "multipart/mixed; boundary=a"}}, 415, {"code": "BAD_USER_INPUT"}),
    ({"content": TEXT, "headers": {"content-type": "multipart/form-data"}}, 400, {"code": "BAD_USER_INPUT"}),
    ({"content": TEXT, "headers": {"content-type": "multipart/form-data; boundary=a"}}, 400, {"code": "BAD_USER_INPUT"}),
    ({"data": {"a": "b"}, "files": {"f": ("a.txt", TEXT)}}, 400, {"code": "BAD_USER_INPUT"}),
    ({"files": [("f", ("a.txt", TEXT)), ("g", ("b.txt", TEXT))]}, 400, {"code": "BAD_USER_INPUT"}),
    ({"content": TEXT, "headers": {"origin": "https://evil.example"}}, 403, {"code": "FORBIDDEN"}),
    ({"content": TEXT, "headers": {"origin": "null"}}, 403, {"code": "FORBIDDEN"}),
    ({"content": TEXT, "headers": {"origin": "http://test:81"}}, 403, {"code": "FORBIDDEN"}),
    ({"content": TEXT, "headers": {"sec-fetch-site": "cross-site"}}, 403, {"code": "FORBIDDEN"}),
    ({"files": {"f": ("a.txt", TEXT)}, "headers": {"sec-fetch-site": "same-site"}}, 403, {"code": "FORBIDDEN"}),
]  # fmt: skip


async def test_what_is_refused_has_a_status_and_a_code_and_leaves_nothing(api: Api) -> None:
    async with api.unchanged():
        told = []
        for request, _, _ in REFUSED:
            answer = await api.http.post("/documents", **request)
            (error,) = answer.json()["errors"]
            assert error["message"].endswith((".", ")."))
            told.append((request, answer.status_code, error["extensions"]))
    assert told == REFUSED
    assert list((api.knowledge.settings.data / "uploads").glob("*")) == []


async def test_a_page_of_the_server_itself_may_send_files(api: Api) -> None:
    headers = {"origin": "http://test", "sec-fetch-site": "same-origin"}
    assert (await api.http.post("/documents", content=TEXT, headers=headers)).status_code == 201


async def test_other_methods_are_refused_with_the_one_that_is_allowed(api: Api) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"):
        answer = await api.http.request(method, "/documents")
        assert (method, answer.status_code, answer.headers["allow"]) == (method, 405, "POST")
