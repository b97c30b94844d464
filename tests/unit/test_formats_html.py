"""Web pages become Markdown: their content stays, what surrounds it goes."""

from __future__ import annotations

import pytest

from server.services.formats.html import read_page

PAGE = """<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Plans and
pricing – Acme</title><script>var x = "<p>script</p>"</script><style>p{}</style></head><body>
<a class="skip-link" href="#main">Skip to content</a>
<div id="cookie-banner" class="cookie-consent">We use cookies to improve your experience. <button>Accept</button></div>
<header class="site-header"><a href=/>Acme</a><nav><ul><li><a href=/p>Products</a><li><a href=/l>Log in</a></ul></nav></header>
<ol class="breadcrumb"><li><a href=/>Home</a><li><a href=/p>Products</a></ol>
<main><h1>Plans and pricing</h1><p>Acme has three plans. All include <a href=x>single sign-on</a>.</p>
<table><caption>Prices</caption><thead><tr><th>Plan<th>Price<th>Seats</thead>
<tr><td>Free<td>$0<td>3<tr><td>Pro<td>$20<td>10<tr><td>Enterprise<td>Call us<td>Unlimited</table>
<h2>Features</h2><ul><li>Audit log<ul><li>Exports as CSV<li>Kept for a year</ul><li>EU hosting</ul>
<aside class="related"><h3>Related posts</h3><ul><li><a href=1>Ten tips</a></ul></aside>
<div class="share-buttons"><a>Tweet</a> <a>Post</a></div></main>
<aside><h3>Read on</h3><a href=2>Why Acme</a></aside>
<section class="newsletter"><h2>Stay in touch</h2><form><input name=mail><button>Subscribe</button></form></section>
<footer><p>© 2024 Acme Inc. All rights reserved.</p><a href=/privacy>Privacy</a></footer></body></html>"""

CONTENT = """# Plans and pricing

Acme has three plans. All include single sign-on.

Prices

| Plan | Price | Seats |
| --- | --- | --- |
| Free | $0 | 3 |
| Pro | $20 | 10 |
| Enterprise | Call us | Unlimited |

## Features

- Audit log
  - Exports as CSV
  - Kept for a year
- EU hosting
"""


def test_the_content_of_a_page_stays_and_its_surroundings_go() -> None:
    assert read_page(PAGE) == ("Plans and pricing – Acme", CONTENT)


def test_the_same_holds_where_no_element_says_what_is_main() -> None:
    assert read_page(PAGE.replace("<main>", "<div>").replace("</main>", "</div>"))[1] == CONTENT


def test_a_resume_keeps_its_header_its_aside_and_its_short_lists() -> None:
    page = """<body><header><h1>Ada Lovelace</h1><p>Engineer in London</p></header>
    <div class=sidebar><h2>Skills</h2><ul><li>Python</ul></div><aside><h2>Contact</h2><p>ada@example.org</aside>
    <section><h2>Work</h2><h3>Acme</h3><p>CTO, 2019<br>London</p></section></body>"""
    assert read_page(page) == (
        "Ada Lovelace",
        "# Ada Lovelace\n\nEngineer in London\n\n## Skills\n\n- Python\n\n## Contact\n\nada@example.org\n\n"
        "## Work\n\n### Acme\n\nCTO, 2019\nLondon\n",
    )


def test_a_page_of_cards_keeps_names_and_prices_together_and_in_order() -> None:
    page = """<body><nav>Menu</nav><div class=banner><h2>Plans</h2></div><div class=card><h3>Pro</h3><div>$20</div><div>a month</div>
    <ul><li>Ten seats</ul></div><div class=card><h3>Max</h3><span>$90</span> <span>a month</span></div></body>"""
    assert read_page(page)[1] == "## Plans\n\n### Pro\n\n$20\n\na month\n\n- Ten seats\n\n### Max\n\n$90 a month\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("Hello", "Hello"),
        ("<p>Acme was founded in 2019.", "Acme was founded in 2019."),
        ("<nav><p>Acme was founded in 2019.</nav>", "Acme was founded in 2019."),
        ("<footer>ada@example.org</footer>", "ada@example.org"),
        ("<div class='cookie-policy'><h1>Cookies</h1><p>We set two.</div>", "# Cookies\n\nWe set two."),
        ("<body class='nav-open cookie-shown'><p>Text.", "Text."),
    ],
)
def test_a_short_page_is_read_whole(page: str, text: str) -> None:
    assert read_page(page)[1] == text + "\n"


def test_a_menu_of_dishes_is_content_and_a_menu_of_links_is_none() -> None:
    dishes = "<ul class=menu><li>Soup, 5 €<li>Fish, 12 €</ul>"
    links = "<ul class=menu><li><a>Home</a><li><a>About us</a></ul>"
    page = f"<h1>Inn</h1><p>{'We cook at the lake every day of the week. ' * 5}</p>"
    assert read_page(page + dishes)[1].endswith("week.\n\n- Soup, 5 €\n- Fish, 12 €\n")
    assert read_page(page + links)[1].endswith("week.\n")


def test_hidden_elements_are_not_read() -> None:
    page = "<p>Shown<p hidden>a<p style='color:red;display: none'>b<p><i aria-hidden=true>c</i>d<template>e</template><noscript>f</noscript>"
    assert read_page(page)[1] == "Shown\n\nd\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h3>A <b>b</b><br>c</h3>", "### A b c"),
        ("<p>a&nbsp;b\n  c<br>d</p>e<i>f</i>", "a b c\nd\n\nef"),
        ("<p>soft\u00adware x\u200by", "software xy"),
        ("<p># no heading<br>> no quote<br>---<br>| no row", "\\# no heading\n\\> no quote\n\\---\n\\| no row"),
        ("<ol start=3><li>c<li><p>d<p>e</ol>", "3. c\n4. d\n\n   e"),
        ("<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"),
        ("<ul><li></li><ul><li>loose</ul></ul>", "- loose"),
        ("<dl><dt>SLA<dd>99.9 %<dt>A<dt>B:<dd>c<dd>d</dl>", "- SLA: 99.9 %\n- A, B: c; d"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<pre>\n a\n\n  ```b\n</pre>", "````\n a\n\n  ```b\n````"),
        ("<a>Buy</a><a>Sell</a> <q>yes</q>", "Buy Sell “yes”"),
        ("<a href=x><h3>Card</h3><p>text</p></a>", "### Card\n\ntext"),
        ("<details><summary>Why?</summary>Because.</details>", "Why?\n\nBecause."),
        ("<p>Acme<sup class=reference>[1]</sup> sells m<sup>2</sup>", "Acme sells m2"),
    ],
)
def test_elements_become_markdown(page: str, text: str) -> None:
    assert read_page(page)[1] == text + "\n"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><th>A<th>B<tr><td>1|2<td>x<br>y", "| A | B |\n| --- | --- |\n| 1\\|2 | x; y |"),
        (
            "<tr><td>A<td>B<td>C<tr><td rowspan=2>p<td>1<td>2<tr><td colspan=2>3",
            "| A | B | C |\n| --- | --- | --- |\n| p | 1 | 2 |\n| p | 3 |  |",
        ),
        ("<tr><th>Founded:<td>2019<tr><th>CEO<td>Ada", "- Founded: 2019\n- CEO: Ada"),
        (
            "<tr><th>Plan<th>Has<tr><td>Pro<td>All of:<ul><li>a<li>b</ul>",
            "| Plan | Has |\n| --- | --- |\n| Pro | All of:; a; b |",
        ),
        ("<tr><td><h2>Left</h2>a<td><p>b", "## Left\n\na\n\nb"),
        ("<tr><td>a<tr><td>b", "a\n\nb"),
        ("<tr><td>Plan<td>Price<tr><td>Pro<td>$20", "| Plan | Price |\n| --- | --- |\n| Pro | $20 |"),
        ("<tr><td>Pro<td>$20<tr><td>Max:<td>$90", "- Pro: $20\n- Max: $90"),
        (
            "<tr><td>Pro<td>$20<td>a<tr><td>Max<td>$90<td>b",
            "|  |  |  |\n| --- | --- | --- |\n| Pro | $20 | a |\n| Max | $90 | b |",
        ),
        ("<tr><th>Year<th>2023<tr><td>Pro<td>$20", "| Year | 2023 |\n| --- | --- |\n| Pro | $20 |"),
        (
            "<tr><td rowspan=65534 colspan=999999>a<td>b<tr><td>c",
            "| a |" + "  |" * 99 + "\n|" + " --- |" * 100 + "\n| a |" + "  |" * 99,
        ),
    ],
)
def test_a_row_of_a_table_stays_in_one_line(rows: str, text: str) -> None:
    assert read_page(f"<table>{rows}</table>")[1] == text + "\n"


def test_a_table_that_only_places_things_is_read_cell_by_cell() -> None:
    page = "<table><tr><td>Menu<td><table><tr><td>A<td>1<tr><td>B<td>2</table></table>"
    assert read_page(page)[1] == "Menu\n\n- A: 1\n- B: 2\n"
    assert read_page("<table role=presentation><tr><td>A<td>1<tr><td>B<td>2</table>")[1] == "A\n\n1\n\nB\n\n2\n"


def test_a_page_is_called_by_its_title_or_else_its_card_or_its_first_heading() -> None:
    assert read_page("<title> A\n b </title><h1>C</h1>")[0] == "A b"
    assert read_page('<meta property="og:title" content="Card"><h1>C</h1>')[0] == "Card"
    assert read_page("<h1>C</h1>")[0] == "C"
    assert read_page("<p>C</p>")[0] is None


def test_nesting_of_any_depth_is_read() -> None:
    deep = 20_000
    assert read_page("<div>" * deep + "<p>Text" + "</div>" * deep)[1] == "Text\n"
    assert read_page("<b>" * 500 + "Text<table>" * 200)[1].count("Text") == 200
