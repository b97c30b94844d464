"""Word files become Markdown, and those that attack their reader are refused."""

from __future__ import annotations

import io
import zipfile

import pytest
from files import W, docx, p, table

from server.errors import BadUserInput, LimitExceeded
from server.services.formats.docx import read_docx

MIB = 1024 * 1024


def read(file: bytes) -> str:
    return read_docx(file, 200 * MIB)[1]


def test_headings_lists_and_tables_keep_their_form() -> None:
    file = docx(
        p("The Acme plan", "Title")
        + p("Pricing", "H1")
        + p("Acme has three plans.")
        + p("Free", list=(1, 0))
        + p("Three seats", list=(1, 1))
        + p("Pro", list=(1, 0))
        + p("Sign", list=(2, 0))
        + p("Pay", list=(2, 0))
        + table(
            ["Plan", "Price"], ["Pro", p("$20") + p("a month")], ["Max", p("a|b", list=(1, 0)) + p("c", list=(1, 0))]
        )
    )
    assert read_docx(file, MIB) == (
        "The Acme plan",
        "# The Acme plan\n\n# Pricing\n\nAcme has three plans.\n\n- Free\n  - Three seats\n- Pro\n\n1. Sign\n2. Pay\n\n"
        "| Plan | Price |\n| --- | --- |\n| Pro | $20 a month |\n| Max | a\\|b; c |\n",
    )


def test_a_style_is_a_heading_by_what_it_is_based_on_and_by_its_outline() -> None:
    assert read(docx(p("One", "House") + p("Two", "Outlined") + p("Text"))) == "## One\n\n### Two\n\nText\n"


def test_merged_cells_say_their_words_in_each_row() -> None:
    merged = '<w:tcPr><w:vMerge w:val="{}"/></w:tcPr>'
    rows = f"<w:tbl><w:tr><w:tc>{p('Plan')}</w:tc><w:tc>{p('Has')}</w:tc></w:tr>" + "".join(
        f"<w:tr><w:tc>{merged.format(how)}{p(first) if first else '<w:p/>'}</w:tc><w:tc>{p(second)}</w:tc></w:tr>"
        for how, first, second in (("restart", "Pro", "Audit"), ("continue", "", "Support"))
    )
    assert read(docx(rows + "</w:tbl>")) == "| Plan | Has |\n| --- | --- |\n| Pro | Audit |\n| Pro | Support |\n"


def test_tracked_changes_are_read_as_accepted() -> None:
    runs = (
        '<w:r><w:t xml:space="preserve">Ada is </w:t></w:r><w:del><w:r><w:delText>CFO</w:delText></w:r></w:del>'
        "<w:ins><w:r><w:t>CTO</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:r><w:t>.</w:t></w:r>"
    )
    assert read(docx(p(runs))) == "Ada is CTO.\n"


def test_footnotes_stand_at_the_end_and_their_marks_go() -> None:
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{p("Since 2019.")}</w:footnote></w:footnotes>'
    runs = '<w:r><w:t>Ada is CTO</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>.</w:t></w:r>'
    assert read(docx(p(runs), word__footnotes=notes)) == "Ada is CTO.\n\n1. Since 2019.\n"


def test_headers_footers_comments_and_contents_are_left_out() -> None:
    header = f"<w:hdr {W}>{p('Confidential')}</w:hdr>"
    comments = f'<w:comments {W}><w:comment w:id="1">{p("Really?")}</w:comment></w:comments>'
    runs = '<w:commentRangeStart w:id="1"/><w:r><w:t>Text</w:t></w:r><w:r><w:commentReference w:id="1"/></w:r>'
    body = p("Pricing 3", "TOC1") + p(runs)
    assert read(docx(body, word__header1=header, word__footer1=header, word__comments=comments)) == "Text\n"


def test_text_boxes_are_read() -> None:
    box = f"<w:txbxContent>{p('In a box')}</w:txbxContent>"
    runs = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert read(docx(p("Before") + p(runs) + p("After"))) == "Before\n\nIn a box\n\nAfter\n"


def test_a_file_is_called_by_its_properties_or_else_its_first_heading() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title> The plan </dc:title></cp:coreProperties>'
    )
    assert read_docx(docx(p("Text"), docProps__core=core), MIB)[0] == "The plan"
    assert read_docx(docx(p("Pricing", "H1")), MIB)[0] == "Pricing"
    assert read_docx(docx(p("Pricing")), MIB)[0] is None


def with_bytes(file: bytes, old: bytes, new: bytes) -> bytes:
    assert old in file
    return file.replace(old, new)


def encrypted_entry() -> bytes:
    file = bytearray(docx(p("Text")))
    at = file.find(b"PK\x01\x02")
    file[at + 8] |= 1
    return bytes(file)


ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + f"]><w:document {W}><w:body>{p('&j;')}</w:body></w:document>"
)
BROKEN = "The Word file is broken: open it in Word and save it anew."


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (docx(p("Text"))[:-200], BROKEN),
        (docx(p("Text"))[:100] + docx(p("Text"))[140:], BROKEN),
        (docx(p("Text")).replace(b"word/document.xml", b"word/documant.xml"), BROKEN),
        (docx("<w:p>"), BROKEN),
        (docx(p("Text"), word__styles="<w:styles"), BROKEN),
        (docx("<w:r>" * 3000 + "</w:r>" * 3000), BROKEN),
        (docx(p('<w:r><w:sym w:char="zz" w:font="Wingdings"/></w:r>')), BROKEN),
        (encrypted_entry(), "The Word file is protected by a password: send it without one."),
        (
            docx("", word__document=ENTITIES),
            "The Word file declares XML entities, which Word never does: open it in Word and save it anew.",
        ),
        (
            docx(
                "", word__document=ENTITIES.replace("?xml version", "?xml encoding='utf-16' version").encode("utf-16")
            ),
            "The Word file declares XML entities, which Word never does: open it in Word and save it anew.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(file: bytes, message: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        read_docx(file, MIB)
    assert refusal.value.message == message


def test_an_archive_that_is_no_word_file_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    with pytest.raises(BadUserInput) as refusal:
        read_docx(packed.getvalue(), MIB)
    assert (
        refusal.value.message
        == "The file is an archive, but no Word file: send .docx, PDF, HTML, Markdown or plain text."
    )


def lying(file: bytes, size: int) -> bytes:
    """The file with every size that it states of its unpacked parts set to this one."""
    found = bytearray(file)
    at = -1
    while (at := found.find(b"PK\x01\x02", at + 1)) >= 0:
        found[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(found)


BOMB = docx(p("Text"), word__media__bomb="0" * (4 * MIB))


@pytest.mark.parametrize(
    "file", [BOMB, docx(p("x" * (2 * MIB))), docx(p("Text"), **{f"word__media__{n}": "0" * MIB for n in range(3)})]
)
def test_a_file_that_unpacks_to_too_much_is_refused(file: bytes) -> None:
    assert len(file) < 20_000
    with pytest.raises(LimitExceeded) as refusal:
        read_docx(file, MIB)
    assert refusal.value.message == "The Word file unpacks to more than 1 MiB: send it in parts."


def test_a_bomb_that_lies_about_its_size_is_refused_too() -> None:
    with pytest.raises(BadUserInput) as refusal:
        read_docx(lying(docx(p("x" * (8 * MIB))), 1000), MIB)
    assert refusal.value.message == BROKEN


def test_what_is_packed_in_an_archive_inside_is_not_unpacked() -> None:
    inner = docx(p("x" * (8 * MIB)))
    assert read_docx(docx(p("Text"), word__embeddings__inner=inner), MIB)[1] == "Text\n"
