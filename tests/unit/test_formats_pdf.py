"""PDF files become Markdown: in reading order, tables by rows, and without what runs through the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from files import HEIGHT, Draw, column, pdf, raw_pdf, text_page
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from server.errors import BadUserInput, LimitExceeded
from server.services.formats.pdf import read_pdf


def read(*pages: Draw, **options: object) -> str:
    return read_pdf(pdf(*pages, **options), 100, 1_000_000)[1]


LEFT = [
    "#Contact",
    "ada@example.org",
    "+44 20 7946 0000",
    "#Skills",
    "• Python and SQL",
    "• Analytical engines",
    "#Languages",
    "English, French",
]
RIGHT = [
    "#Experience",
    "*Acme Analytics, 2019 to 2024",
    "Ada led a team of twelve engineers who built the ana-",
    "lytical engine. She reported to Charles Babbage and",
    "managed a budget of two million pounds.",
    "*Babbage Works, 2015 to 2019",
    "She wrote the first published program, and explained",
    "how the machine could weave algebraic patterns.",
    "#Education",
    "University of London, mathematics, 2011 to 2015",
]
RESUME = """# Ada Lovelace

Chief Technology Officer, based in London

## Contact

ada@example.org

+44 20 7946 0000

## Skills

- Python and SQL
- Analytical engines

## Languages

English, French

## Experience

### Acme Analytics, 2019 to 2024

Ada led a team of twelve engineers who built the analytical engine. She reported to Charles Babbage and managed a budget of two million pounds.

### Babbage Works, 2015 to 2019

She wrote the first published program, and explained how the machine could weave algebraic patterns.

## Education

University of London, mathematics, 2011 to 2015
"""


class Recorded:
    """A canvas that only remembers what is drawn on it."""

    def __init__(self) -> None:
        self.drawn: list[tuple[float, float, str, float, str]] = []

    def setFont(self, name: str, size: float) -> None:  # noqa: N802
        self.font = name, size

    def drawString(self, x: float, y: float, text: str) -> None:  # noqa: N802
        self.drawn.append((x, y, *self.font, text))


def resume(order: Callable[[tuple[float, float, str, float, str]], object] | None) -> Draw:
    """Two frames below a name, drawn one after the other, or by `order`."""

    def draw(canvas: Canvas) -> None:
        recorded = Recorded()
        recorded.setFont("Helvetica-Bold", 20)
        recorded.drawString(50, 790, "Ada Lovelace")
        column(recorded, ["Chief Technology Officer, based in London"], y=772)
        column(recorded, LEFT, y=740)
        column(recorded, RIGHT, x=220, y=740)
        for x, y, font, size, text in sorted(recorded.drawn, key=order) if order else recorded.drawn:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)

    return draw


@pytest.mark.parametrize(
    "order",
    [None, lambda drawn: (-drawn[1], drawn[0]), lambda drawn: (-drawn[0], drawn[1]), lambda drawn: hash((drawn[4], 7))],
    ids=["frame by frame", "line by line", "backwards", "in no order"],
)
def test_a_resume_in_two_columns_is_read_column_by_column_however_it_is_drawn(
    order: Callable[[tuple[float, float, str, float, str]], object] | None,
) -> None:
    assert read_pdf(pdf(resume(order), title="untitled"), 1, 10_000) == ("Ada Lovelace", RESUME)


def test_dates_at_the_right_stay_with_their_posts() -> None:
    def draw(canvas: Canvas) -> None:
        column(
            canvas,
            [
                "Remington Rand",
                "Senior programmer",
                "• Wrote the first compiler and led those who made COBOL, a language for business",
                "US Navy",
                "Rear admiral",
            ],
        )
        canvas.drawRightString(545, 780, "1949 - 1967")
        canvas.drawRightString(545, 766, "Philadelphia")
        canvas.drawRightString(545, 738, "1967 - 1986")
        canvas.drawRightString(545, 724, "Washington")

    assert read(draw) == (
        "Remington Rand 1949 - 1967\n\nSenior programmer Philadelphia\n\n"
        "- Wrote the first compiler and led those who made COBOL, a language for business\n\n"
        "US Navy 1967 - 1986\n\nRear admiral Washington\n"
    )


PROSE = [
    "Acme Corporation was founded by Ada Lovelace",
    "in 2019 and builds analytical engines for the",
    "mills of northern England. The company has",
    "forty engineers, and its first customer was the",
    "Royal Observatory. Since 2021 it is at home in",
    "Manchester, where it rents two floors of the",
]


def test_a_sentence_goes_on_in_the_next_column_and_on_the_next_page() -> None:
    def first(canvas: Canvas) -> None:
        column(canvas, PROSE)
        column(canvas, ["old exchange. " + PROSE[0][:30], *PROSE[1:-1]], x=310)

    after = text_page("the north. It employs many.", "It has grown ever since, by ten people a year, as it says.")
    whole = " ".join(PROSE) + " old exchange. " + PROSE[0][:30] + " " + " ".join(PROSE[1:-1])
    assert (
        read(first, after)
        == f"{whole} the north. It employs many.\n\nIt has grown ever since, by ten people a year, as it says.\n"
    )


def test_a_heading_over_both_columns_parts_what_is_above_from_what_is_below() -> None:
    def draw(canvas: Canvas) -> None:
        column(canvas, [f"{line} a" for line in PROSE])
        column(canvas, [f"{line} b" for line in PROSE], x=310)
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawCentredString(297, 670, "A heading that reaches over both columns")
        column(canvas, [f"{line} c" for line in PROSE], y=640)
        column(canvas, [f"{line} d" for line in PROSE], x=310, y=640)

    letters = [block.rsplit(" ", 1)[1] for block in read(draw).strip().split("\n\n")]
    assert letters == ["a", "b", "columns", "c", "d"]


ROWS = [
    ["Plan", "Price", "Seats", "Support"],
    ["Free", "$0", "3", "Community"],
    ["Pro", "$20", "10", "E-mail"],
    ["Enterprise", "Call us", "Unlimited", "Phone, day and night"],
]
PIPES = """| Plan | Price | Seats | Support |
| --- | --- | --- | --- |
| Free | $0 | 3 | Community |
| Pro | $20 | 10 | E-mail |
| Enterprise | Call us | Unlimited | Phone, day and night |"""
LONG = [
    "Acme Corporation was founded by Ada Lovelace in 2019 and builds analytical engines for the mills",
    "of northern England.",
]
RULES: dict[str, Sequence[tuple[object, ...]]] = {
    "a grid": [("GRID", (0, 0), (-1, -1), 0.5, colors.black)],
    "nothing": [],
    "level rules": [
        ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
    ],
    "columns": [("BOX", (0, 0), (-1, -1), 0.5, colors.black), ("LINEBEFORE", (1, 0), (-1, -1), 0.5, colors.black)],
    "shading": [("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey), ("BACKGROUND", (0, 2), (-1, 2), colors.whitesmoke)],
}


def draw_table(
    canvas: Canvas, rows: list[list[str]], style: Sequence[tuple[object, ...]], y: float, x: float = 50
) -> None:
    drawn = Table(rows, style=style)
    _, high = drawn.wrap(500, 500)
    drawn.drawOn(canvas, x, y - high)


@pytest.mark.parametrize("rules", RULES)
def test_a_table_keeps_its_rows_together_whatever_is_drawn_around_its_cells(rules: str) -> None:
    def draw(canvas: Canvas) -> None:
        y = column(canvas, ["#Prices", *LONG])
        draw_table(canvas, ROWS, RULES[rules], y)
        column(canvas, LONG, y=y - 100)

    text = " ".join(LONG)
    assert read(draw) == f"# Prices\n\n{text}\n\n{PIPES}\n\n{text}\n"


def test_cells_of_several_lines_stay_in_their_rows() -> None:
    rows = [
        ["Plan", "What it has", "Price"],
        ["Pro", "Audit log and\nsingle sign-on", "$20"],
        ["Max", "All of Pro and\nsupport by phone", "$90"],
    ]
    expected = (
        "| Plan | What it has | Price |\n| --- | --- | --- |\n"
        "| Pro | Audit log and single sign-on | $20 |\n| Max | All of Pro and support by phone | $90 |\n"
    )
    top = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    assert read(lambda canvas: draw_table(canvas, rows, [*top, *RULES["a grid"]], 700)) == expected
    assert read(lambda canvas: draw_table(canvas, rows, top, 700)) == expected


def test_a_cell_over_several_rows_stands_in_each_and_one_over_columns_in_the_first() -> None:
    style = [*RULES["a grid"], ("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (1, 3))]
    rows = [["Plan", "Has", "Price"], ["Pro", "Audit", "$20"], ["", "Support", "$5"], ["Enterprise, all", "", "ask"]]
    assert read(lambda canvas: draw_table(canvas, rows, style, 700)) == (
        "| Plan | Has | Price |\n| --- | --- | --- |\n| Pro | Audit | $20 |\n| Pro | Support | $5 |\n| Enterprise, all |  | ask |\n"
    )


def test_a_table_beside_a_column_of_prose_is_no_part_of_it() -> None:
    def draw(canvas: Canvas) -> None:
        column(canvas, PROSE * 2)
        y = column(canvas, PROSE[:4], x=320)
        draw_table(canvas, [["Plan", "Price", "Seats"], ["Free", "$0", "3"], ["Pro", "$20", "10"]], [], y, x=315)

    assert (
        read(draw).split("\n\n")[-1]
        == "| Plan | Price | Seats |\n| --- | --- | --- |\n| Free | $0 | 3 |\n| Pro | $20 | 10 |\n"
    )


def test_a_table_of_contents_is_left_out_and_a_menu_of_dishes_is_not() -> None:
    dots = " . . . . . . . . . "
    contents = ["Introduction" + dots + "1", "Engines" + dots + "2", "Looms" + dots + "17"]
    assert read(text_page(*contents, "", *LONG)) == " ".join(LONG) + "\n"
    assert (
        read(text_page("Soup" + dots + "5", "Fish" + dots + "12", "Cake" + dots + "4"))
        == "Soup: 5\n\nFish: 12\n\nCake: 4\n"
    )


def test_numbers_before_lines_are_no_column() -> None:
    def draw(canvas: Canvas) -> None:
        column(canvas, ["2.1", "2.2", "2.3", "2.4"])
        column(canvas, ["Engines are built", "Looms are sold", "Mills are rented", "Books are kept"], x=100)

    assert read(draw) == "2.1 Engines are built\n\n2.2 Looms are sold\n\n2.3 Mills are rented\n\n2.4 Books are kept\n"


def test_a_table_that_goes_on_on_the_next_page_is_one() -> None:
    head, *rows = ROWS
    first = lambda canvas: draw_table(canvas, [head, rows[0]], RULES["a grid"], 200)  # noqa: E731
    repeated = lambda canvas: draw_table(canvas, [head, *rows[1:]], RULES["a grid"], 700)  # noqa: E731
    plain = lambda canvas: draw_table(canvas, rows[1:], RULES["a grid"], 700)  # noqa: E731
    assert read(first, repeated) == read(first, plain) == PIPES + "\n"


def test_running_heads_feet_and_page_numbers_are_left_out() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.setFont("Helvetica", 8)
            canvas.drawString(50, HEIGHT - 30, f"Acme annual report 2024, chapter {number}")
            canvas.drawString(50, 40, "Confidential")
            canvas.drawCentredString(297, 25, f"- {number} -")
            column(canvas, [f"In year {number} Acme grew."], y=600)

        return draw

    assert read(*map(page, (1, 2, 3))) == "In year 1 Acme grew.\n\nIn year 2 Acme grew.\n\nIn year 3 Acme grew.\n"
    assert (
        read(page(1), page(2))
        == "Acme annual report 2024, chapter 1\n\nIn year 1 Acme grew.\n\nConfidential\n\nIn year 2 Acme grew.\n"
    )


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            ["It is well-", "known. What is well-known is short, and this line is long."],
            "It is well-known. What is well-known is short, and this line is long.",
        ),
        (
            ["Mr Smith-", "Jones wrote to all of us at once and for a long time."],
            "Mr Smith-Jones wrote to all of us at once and for a long time.",
        ),
        (
            ["From 2019-", "2021 he wrote to all of us at once and for a long time."],
            "From 2019-2021 he wrote to all of us at once and for a long time.",
        ),
        (["1. First", "2. Second"], "1. First\n2. Second"),
        (
            ["– First", "– Second of the two, which is long enough to wrap over", "   the end"],
            "- First\n- Second of the two, which is long enough to wrap over the end",
        ),
        (
            ["ACME", "", "This is what Acme says of its engines in the north."],
            "# ACME\n\nThis is what Acme says of its engines in the north.",
        ),
        (
            ["*Acme", "This is what Acme says of its engines in the north."],
            "# Acme\n\nThis is what Acme says of its engines in the north.",
        ),
        (
            ["*Acme says this in bold. It is no heading.", "This is what Acme says of its engines in the north."],
            "Acme says this in bold. It is no heading.\n\nThis is what Acme says of its engines in the north.",
        ),
    ],
)
def test_lines_become_paragraphs_items_and_headings(lines: list[str], text: str) -> None:
    assert read(text_page(*lines)) == text + "\n"


def test_a_line_that_only_looks_like_markdown_is_none() -> None:
    assert read(lambda canvas: canvas.drawString(50, 700, "# no heading")) == "\\# no heading\n"


def test_letters_set_apart_are_a_word() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(50, 780)
        text.setFont("Helvetica", 12)
        text.setCharSpace(6)
        text.textOut("SKILLS")
        canvas.drawText(text)

    assert read(draw) == "SKILLS\n"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_is_read_as_it_is_shown(turn: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(A4[0] / 2, A4[1] / 2)
        canvas.rotate(turn)
        draw_table(canvas, ROWS, RULES["a grid"], 100, x=-150)

    assert read(draw) == PIPES + "\n"


def test_text_at_an_angle_is_left_out_and_text_up_the_margin_comes_last() -> None:
    def draw(canvas: Canvas) -> None:
        column(canvas, LONG)
        canvas.rotate(90)
        canvas.drawString(100, -30, "Filed in 2024")
        canvas.rotate(-45)
        canvas.setFontSize(60)
        canvas.drawString(300, 0, "DRAFT")

    assert read(draw) == " ".join(LONG) + "\n\nFiled in 2024\n"


def placed(*letters: tuple[int, int]) -> bytes:
    """What draws letters, each given by its number from 1 and its x."""
    return b"BT /F 10 Tf " + b"".join(b"1 0 0 1 %d 700 Tm <%02x> Tj " % (x, 64 + code) for code, x in letters) + b"ET"


SHALOM = {1: "ש", 2: "ל", 3: "ו", 4: "ם", 5: "2", 6: "0", 7: ".", 8: "א"}


@pytest.mark.parametrize("order", [1, -1], ids=["as read", "as shown"])
def test_hebrew_is_read_from_the_right_whichever_way_it_is_stored(order: int) -> None:
    letters = [(1, 200), (2, 194), (3, 188), (4, 182), (8, 170), (5, 152), (6, 158), (7, 146)]
    assert read_pdf(raw_pdf(placed(*letters[::order]), SHALOM), 1, 100)[1] == "שלום א 20.\n"


def test_ligatures_are_letters_and_icons_are_nothing() -> None:
    letters = {1: "\ufb01", 2: "n", 3: "\uf0e0", 4: "\ufb03", 5: "e"}
    drawn = placed((3, 50), (1, 80), (2, 86), (5, 92), (5, 110), (4, 116), (2, 122))
    assert read_pdf(raw_pdf(drawn, letters), 1, 100)[1] == "fine effin\n"


def test_a_file_that_does_not_say_what_its_letters_are_is_refused() -> None:
    drawn = placed(*((1 + at % 3, 50 + 6 * at) for at in range(40)))
    with pytest.raises(BadUserInput) as refusal:
        read_pdf(raw_pdf(drawn, {1: "\ue001", 2: "\ue002", 3: "a"}), 1, 100)
    assert refusal.value.message == (
        "The PDF does not say which letters its glyphs are: print it to a new PDF, or run text recognition (OCR) over it."
    )


def test_a_file_is_called_by_its_properties_unless_a_program_made_them_up() -> None:
    page = text_page("#Acme plan", *LONG)
    assert read_pdf(pdf(page, title="The plan"), 1, 1000)[0] == "The plan"
    assert read_pdf(pdf(page, title="Microsoft Word - plan.docx"), 1, 1000)[0] == "Acme plan"
    assert read_pdf(pdf(page, title="plan_final.pdf"), 1, 1000)[0] == "Acme plan"
    assert read_pdf(pdf(text_page(*LONG), title="untitled"), 1, 1000)[0] is None


def picture(canvas: Canvas) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    canvas.drawImage(ImageReader(Image.new("RGB", (8, 8))), 50, 50, 400, 400)


GOOD = pdf(*[text_page("Text")] * 3)
BROKEN = "The PDF is broken{}: open it in a viewer and print it to a new PDF."


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            pdf(text_page("Text"), encrypt=StandardEncryption("secret")),
            "The PDF is protected by a password: send it without one.",
        ),
        (GOOD[: len(GOOD) // 2], BROKEN.format(", its end is missing")),
        (b"%PDF-1.7\n", BROKEN.format(", its end is missing")),
        (b"%PDF-1.7\nrubbish\n%%EOF", BROKEN.format("")),
        (GOOD.replace(b"/Root", b"/Rout"), BROKEN.format("")),
        (pdf(lambda canvas: None), "The PDF has no text: there is nothing to read."),
        (pdf(picture), "The PDF has pictures of text and no text: run text recognition (OCR) over it first."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(file: bytes, message: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        read_pdf(file, 100, 1000)
    assert refusal.value.message == message


def test_a_file_that_only_its_owner_may_change_is_read() -> None:
    assert read(text_page("Text"), encrypt=StandardEncryption("", ownerPassword="secret")) == "Text\n"


def test_too_many_pages_and_too_much_text_are_refused() -> None:
    with pytest.raises(LimitExceeded) as refusal:
        read_pdf(pdf(*[text_page("Text")] * 1001), 1000, 1000)
    assert refusal.value.message == "The PDF has 1,001 pages; at most 1,000 are read. Send it in parts."
    with pytest.raises(LimitExceeded) as refusal:
        read_pdf(GOOD, 3, 11)
    assert refusal.value.message == "The PDF has more than 11 characters of text. Send it in parts."
    assert read_pdf(GOOD, 3, 12)[1] == "Text\n\nText\n\nText\n"
