"""Files of the formats that are read, made for the tests: PDFs drawn word by word, and Word files put together from their XML."""

from __future__ import annotations

import io
import threading
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
Draw = Callable[[Canvas], None]
E = TypeVar("E", bound=Exception)


def pdf(*pages: Draw, title: str = "", **options: Any) -> bytes:
    """Return a PDF with a page for each of these functions, which draw it; `options` are those of Canvas."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True, **options)
    canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def column(
    canvas: Canvas, lines: Sequence[str], x: float = 50, y: float = 780, size: float = 10, lead: float = 14
) -> float:
    """Draw lines below each other from y, and return the y below them. "#" makes a line a heading, "*" bold, "" a gap."""
    for line in lines:
        if line.startswith("#"):
            y -= 10
            canvas.setFont("Helvetica-Bold", size + 3)
            canvas.drawString(x, y, line[1:])
            y -= lead + 4
        elif line:
            canvas.setFont("Helvetica-Bold" if line.startswith("*") else "Helvetica", size)
            canvas.drawString(x, y, line.removeprefix("*"))
            y -= lead
        else:
            y -= 0.8 * lead
    return y


def text_page(*lines: str) -> Draw:
    """Return what draws a page of lines."""
    return lambda canvas: void(column(canvas, lines))


def void(_: object) -> None:
    """Drop a result."""


def raw_pdf(content: bytes, letters: dict[int, str] | None = None) -> bytes:
    """Return a PDF of one page that `content`, packed, draws in font F; `letters` says what its codes from 65 stand for, by 1, 2 ..."""
    packed = zlib.compress(content, 9)
    said = "".join(
        f"<{64 + code:02x}> <{letter.encode('utf-16-be').hex()}>\n" for code, letter in (letters or {}).items()
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <ff>"
        f" endcodespacerange {len(letters or {})} beginbfchar\n{said}endbfchar endcmap end end"
    ).encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier" + (b"/ToUnicode 6 0 R" if letters else b"") + b">>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(cmap), cmap),
    ]
    file, places = b"%PDF-1.7\n", []
    for number, found in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, found)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    rows = len(objects) + 1
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF"
        % (rows, table, rows, len(file))
    )


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_KIND}/officeDocument" Target="word/document.xml"/></Relationships>'
)
_STYLES = f"""<?xml version="1.0"?><w:styles {W}>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="House"><w:name w:val="Acme's chapter"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="Outlined"><w:name w:val="Part"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
</w:styles>"""
_BULLET = '<w:numFmt w:val="bullet"/></w:lvl>'
_NUMBERING = f"""<?xml version="1.0"?><w:numbering {W}>
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">{_BULLET}<w:lvl w:ilvl="1">{_BULLET}</w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>"""


def p(text: str, style: str = "", list: tuple[int, int] | None = None) -> str:
    """Return a paragraph of a Word file; `list` is the number of its list and the level in it. Text with a tag is taken as runs."""
    runs = text if text.startswith("<") else f"<w:r><w:t>{text}</w:t></w:r>"
    numbered = f'<w:numPr><w:ilvl w:val="{list[1]}"/><w:numId w:val="{list[0]}"/></w:numPr>' if list else ""
    return (
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{numbered}</w:pPr>{runs}</w:p>'
        if style or list
        else f"<w:p>{runs}</w:p>"
    )


def table(*rows: Sequence[str]) -> str:
    """Return a table of a Word file; a cell is text or a paragraph's XML."""
    cells = ("".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(body: str, **parts: str | bytes) -> bytes:
    """Return a Word file. `parts` are further ones, by name: "word__footnotes" is word/footnotes.xml."""
    document = (
        f'<?xml version="1.0"?><w:document {W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
        f"<w:body>{body}</w:body></w:document>"
    )
    named = {name.replace("__", "/") + ".xml": part for name, part in parts.items()}
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "word/document.xml": document,
        "word/styles.xml": _STYLES,
        "word/numbering.xml": _NUMBERING,
        **named,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in files.items():
            archive.writestr(name, part)
    return packed.getvalue()


def refused_in_time(read: Callable[[], object], kind: type[E]) -> E:
    """Return the error with which reading is refused; it fails where reading waits."""
    told: list[E] = []

    def run() -> None:
        with pytest.raises(kind) as refused:
            read()
        told.append(refused.value)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert told, "it waits"
    return told[0]
