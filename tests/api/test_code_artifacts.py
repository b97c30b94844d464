"""Code artifacts through GraphQL: making, editing, deleting and listing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

ALL = "id title language code description tags version"
CODE = "\n\tdef f(x):\n    return '\\u0000' + \"</script>\"  # ünï 🙂\r\n"


async def artifact(api: Api, title: str = "t", language: str = "python", code: str = "pass", **rest: Any) -> str:
    """Create a code artifact and return its id."""
    done = await api.do("createCodeArtifact", "codeArtifact { id }", title=title, language=language, code=code, **rest)
    return str(done["codeArtifact"]["id"])


async def test_code_is_kept_to_the_letter_with_what_is_stated_of_it(api: Api) -> None:
    stated = {"code": CODE, "description": "Adds.", "tags": ["math", "Math"]}
    made = (await api.do("createCodeArtifact", f"codeArtifact {{ {ALL} }}", title=" f ", language="Python", **stated))[
        "codeArtifact"
    ]
    assert made == {"id": made["id"], "title": "f", "language": "python", **stated, "version": 1}
    assert await api.node(made["id"], ALL) == made
    (change,) = (await api.volume("changes(first: 1) { nodes { kind after node { id } } }"))["changes"]["nodes"]
    logged = {"title": "f", "language": "python", "description": "Adds.", "tags": ["math", "Math"]}
    assert change == {"kind": "CREATED", "after": logged, "node": {"id": made["id"]}}


async def test_an_update_keeps_what_is_left_out_and_clears_what_is_null(api: Api) -> None:
    id = await artifact(api, description="d", tags=["a"])
    done = await api.do(
        "updateCodeArtifact", f"codeArtifact {{ {ALL} }}", id=id, code="return", language="GO", expectedVersion=1
    )
    now = {"id": id, "title": "t", "language": "go", "code": "return", "description": "d", "tags": ["a"], "version": 2}
    assert done["codeArtifact"] == now
    done = await api.do("updateCodeArtifact", f"codeArtifact {{ {ALL} }}", id=id, description=None, tags=None)
    assert done["codeArtifact"] == {**now, "description": None, "tags": [], "version": 3}
    async with api.unchanged():
        await api.do("updateCodeArtifact", "codeArtifact { id }", id=id, code="return", language="Go", title="t")
    for field in ("title", "language", "code"):
        refused = await api.refused("updateCodeArtifact", id=id, **{field: None})
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)
    for mutation, rest in {"updateCodeArtifact": {"title": "x"}, "deleteCodeArtifact": {}}.items():
        refused = await api.refused(mutation, id=id, expectedVersion=2, **rest)
        assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")


BOUNDS: list[tuple[str, Any, Any]] = [
    ("title", "t" * 500, "t" * 501),
    ("title", "t", " "),
    ("language", "x", ""),
    ("code", "c" * 100_000, "c" * 100_001),
    ("code", "\tx", " \n"),
    ("code", "\\x00", "\x00"),
    ("description", "d" * 10_000, "d" * 10_001),
    ("tags", [f"t{n}" for n in range(10)], [f"t{n}" for n in range(11)]),
    ("tags", ["t" * 100], ["t" * 101]),
]


async def test_a_code_artifact_is_taken_at_its_bounds_and_refused_one_past_them(api: Api) -> None:
    plain = {"title": "t", "language": "python", "code": "pass"}
    for field, fits, too_much in BOUNDS:
        made = (await api.do("createCodeArtifact", f"codeArtifact {{ {ALL} }}", **{**plain, field: fits}))[
            "codeArtifact"
        ]
        assert made[field] == fits
        async with api.unchanged():
            created = await api.refusal("createCodeArtifact", **{**plain, field: too_much})
            changed = await api.refusal("updateCodeArtifact", id=made["id"], **{field: too_much})
        for refused in (created, changed):
            assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)


async def test_a_deleted_code_artifact_leaves_no_word_behind(api: Api) -> None:
    kept = await artifact(api)
    id = await artifact(api, title="zebra", language="Zebra", code="zebra()", description="zebra", tags=["zebra"])
    memory = await api.memory("m", codeArtifacts=[id, kept])
    await api.do("updateCodeArtifact", "codeArtifact { id }", id=id, title="zebra 2", code="zebra(2)")
    assert await api.do("deleteCodeArtifact", "deletedId", id=id) == {"deletedId": id}
    assert await api.holding("zebra") == []
    assert await api.node(memory, "codeArtifacts { nodes { id } }") == {"codeArtifacts": {"nodes": [{"id": kept}]}}
    await api.store.follower.drain()
    assert await api.store.index.count() == 2
    refused = await api.refused("deleteCodeArtifact", id=id)
    assert (refused["code"], refused["argument"]) == ("NOT_FOUND", "id")


async def test_code_artifacts_are_filtered_by_language_in_any_case(api: Api) -> None:
    for title, language in (("a", "Python"), ("b", "Go"), ("c", "python"), ("d", "C++")):
        await artifact(api, title, language)

    async def titles(**filter: Any) -> list[str]:
        asked = "codeArtifacts(filter: $f) { nodes { title } totalCount }"
        found = (await api.volume(asked, f=("CodeArtifactFilter", filter)))["codeArtifacts"]
        assert found["totalCount"] == len(found["nodes"])
        return [node["title"] for node in found["nodes"]]

    assert await titles() == ["a", "b", "c", "d"]
    assert await titles(languages=["PYTHON"]) == ["a", "c"]
    assert await titles(languages=["go", "c++"]) == ["b", "d"]
    assert await titles(languages=[]) == []
    assert len(await api.rows(models.CodeArtifact)) == 4
