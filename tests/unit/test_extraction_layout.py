"""Tables, lists, notes, changelogs, chats and mails: each text with exactly what it yields, and what it must not."""

from __future__ import annotations

import pytest

from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction, KnownName

Edge = tuple[str, str, str]
Fact = tuple[str, str, str | None, str | None]


def read(text: str, *, title: str = "", known: tuple[KnownName, ...] = (), table: str = "") -> Extraction:
    return OfflineExtractor().extract(ChunkText(text, title, known, (), table))


def edges(extraction: Extraction) -> set[Edge]:
    names = {one.key: one.name for one in extraction.entities}
    return {(names.get(e.source, e.source), e.type, names.get(e.target, e.target)) for e in extraction.relationships}


def facts(extraction: Extraction) -> list[Fact]:
    names = {one.key: one.name for one in extraction.entities}
    return [(names.get(f.subject, f.subject), f.content, f.predicate, f.value) for f in extraction.facts]


def named(extraction: Extraction) -> dict[str, str]:
    return {one.name: one.type for one in extraction.entities}


PLANS = """# Pricing

| Plan | Price | SSO | Users | Priority support |
|------|:-----:|-----|-------|------------------|
| Free | $0 | ✗ | 3 | — |
| **Pro** | $49/month | [Yes](https://a.example/b) | 25 | no |
| Enterprise | Contact us | ✅ | Unlimited | ✓ |
"""


def test_a_row_states_what_its_columns_say_of_its_first_cell() -> None:
    """Prices are money, numbers numbers, yes an inclusion; no, a dash and "contact us" say nothing; rows do not mix."""
    extraction = read(PLANS)
    assert edges(extraction) == {("Pro Plan", "INCLUDES", "SSO"), ("Enterprise Plan", "INCLUDES", "SSO")}
    assert facts(extraction) == [
        ("Free Plan", "Price $0", "COSTS", "0 USD"),
        ("Free Plan", "Users: 3", "USERS", "3"),
        ("Pro Plan", "Price $49/month", "COSTS", "49 USD/month"),
        ("Pro Plan", "Users: 25", "USERS", "25"),
        ("Enterprise Plan", "Users: Unlimited", "USERS", None),
        ("Enterprise Plan", "Includes priority support", "INCLUDES", None),
    ]
    assert named(extraction) == {
        "SSO": "feature",
        "Free Plan": "product",
        "Pro Plan": "product",
        "Enterprise Plan": "product",
    }


def test_a_rows_quote_is_its_line() -> None:
    """So that each claim can be shown in the document."""
    assert {fact.quote for fact in read(PLANS).facts if fact.predicate == "COSTS"} == {
        "Free | $0 | ✗ | 3 | —",
        "Pro** | $49/month | [Yes](https://a.example/b) | 25 | no",
    }


def test_a_table_of_features_is_read_by_its_columns() -> None:
    """Labels on the left, plans above; the first price is the price, the second is another one."""
    extraction = read(
        "| Feature | Basic | Team |\n|---|---|---|\n| Price per user/month | $5 | $12 |\n| Annual price | $50 | $120 |\n| SAML support | ❌ | ✅ |\n"
        "| Custom branding | — | yes |\n| Storage | 10GB | 1TB |\n"
    )
    assert edges(extraction) == {("Team", "INCLUDES", "SAML")}
    assert facts(extraction) == [
        ("Basic", "Price per user/month $5", "COSTS", "5 USD/user/month"),
        ("Team", "Price per user/month $12", "COSTS", "12 USD/user/month"),
        ("Basic", "Annual price $50", "ANNUAL_PRICE", "50 USD/year"),
        ("Team", "Annual price $120", "ANNUAL_PRICE", "120 USD/year"),
        ("Team", "Includes custom branding", "INCLUDES", None),
        ("Basic", "Storage: 10GB", "STORAGE", None),
        ("Team", "Storage: 1TB", "STORAGE", None),
    ]


def test_a_table_of_people_has_roles_and_places() -> None:
    """Names that no list knows are people where the columns say so; "Remote" is no place."""
    extraction = read(
        "| Name | Role | Location |\n|---|---|---|\n| Oluwaseun Adeyemi | Designer | Lagos |\n| Mike | CTO | Remote |\n| TBD | Engineer | Room 5 |\n"
    )
    assert edges(extraction) == {("Oluwaseun Adeyemi", "LOCATED_IN", "Lagos")}
    assert facts(extraction) == [
        ("Oluwaseun Adeyemi", "Designer", "HAS_ROLE", None),
        ("Mike", "CTO", "HAS_ROLE", None),
    ]
    assert named(extraction) == {"Oluwaseun Adeyemi": "person", "Lagos": "place", "Mike": "person"}


def test_a_table_set_with_spaces_is_one_too() -> None:
    """Three columns or more under a header, as plain text and converted files have them."""
    extraction = read(
        "Team\n\nName            Role              City\nAnn Lee         Data Engineer     Oslo\nBo Ek           Designer          Bergen\n"
    )
    assert edges(extraction) == {("Ann Lee", "LOCATED_IN", "Oslo"), ("Bo Ek", "LOCATED_IN", "Bergen")}
    assert facts(extraction) == [
        ("Ann Lee", "Data Engineer", "HAS_ROLE", None),
        ("Bo Ek", "Designer", "HAS_ROLE", None),
    ]


def test_companies_and_countries() -> None:
    """Who holds a post works there; a capital is one of its country; dates and counts are values."""
    extraction = read(
        "| Company | Founded | Headquarters | CEO | Employees |\n|---|---|---|---|---|\n"
        "| Spotify | 2006 | Stockholm, Sweden | Daniel Ek | 9,000 |\n\n"
        "| Country | Capital | Population |\n|---|---|---|\n| Norway | Oslo | 5.4 million |\n"
    )
    assert edges(extraction) == {
        ("Spotify", "LOCATED_IN", "Stockholm"),
        ("Daniel Ek", "WORKS_AT", "Spotify"),
        ("Oslo", "CAPITAL_OF", "Norway"),
    }
    assert facts(extraction) == [
        ("Spotify", "Founded 2006", "FOUNDED", "2006"),
        ("Daniel Ek", "CEO of Spotify", "HAS_ROLE", None),
        ("Spotify", "Employees: 9,000", "EMPLOYEES", "9000"),
        ("Norway", "Population: 5.4 million", "POPULATION", "5400000"),
    ]


def test_services_and_what_they_are_built_with() -> None:
    """The head is the predicate; each item of a cell is a target, and a dash none."""
    extraction = read(
        "| Service | Language | Database | Owner | Depends on |\n|---|---|---|---|---|\n| Billing API | Go | Postgres | Mona Berg | Kafka, Redis |\n"
        "| search-indexer | Rust | — | — | — |\n"
    )
    assert edges(extraction) == {
        ("Billing API", "WRITTEN_IN", "Go"),
        ("Billing API", "USES", "Postgres"),
        ("Billing API", "OWNED_BY", "Mona Berg"),
        ("Billing API", "DEPENDS_ON", "Kafka"),
        ("Billing API", "DEPENDS_ON", "Redis"),
        ("search-indexer", "WRITTEN_IN", "Rust"),
    }
    assert facts(extraction) == []


def test_a_table_of_fields_is_about_the_heading_above() -> None:
    """Two columns named as such are no things of their own."""
    extraction = read(
        "# Spotify\n\n| Field | Value |\n|---|---|\n| Founded | 2006 |\n| Headquarters | Stockholm |\n| Price | n/a |\n"
    )
    assert edges(extraction) == {("Spotify", "LOCATED_IN", "Stockholm")}
    assert facts(extraction) == [("Spotify", "Founded 2006", "FOUNDED", "2006")]


def test_a_chunk_goes_on_with_a_table() -> None:
    """The heads come along from the chunk before; without them rows say nothing."""
    rows = "| Pro | $49/month |\n| Enterprise | $99/month |\n"
    assert [fact[1:] for fact in facts(read(rows, table="| Plan | Price |"))] == [
        ("Price $49/month", "COSTS", "49 USD/month"),
        ("Price $99/month", "COSTS", "99 USD/month"),
    ]
    assert read(rows) == Extraction()


@pytest.mark.parametrize(
    "text",
    [
        "| Parameter | Type | Default | Description |\n|---|---|---|---|\n| host | str | localhost | The Postgres host |\n",
        "| Command | Description |\n|---|---|\n| git commit | Records changes to Postgres |\n",
        "| Action item | Owner | Due |\n|---|---|---|\n| Migrate to Postgres | Mona Berg | May 3 |\n",
        "| Monday | Tuesday | Wednesday |\n|---|---|---|\n| Pasta | Soup | Pizza |\n",
        "| Item | Price |\n|---|---|\n| coffee mug | $12 |\n",
        "|||\n|---|---|\n| | |\n",
        "a | b\n",
    ],
)
def test_tables_that_state_nothing(text: str) -> None:
    """Interfaces, plans, menus, things without a name, and bars that draw no table."""
    assert read(text) == Extraction()


def test_fields_and_front_matter_are_about_the_page() -> None:
    """Lists in it are left out; code, comments, badges and addresses yield nothing."""
    extraction = read(
        "---\ntitle: Acme Corp\nfounded: 2010\nlocation: Oslo\ntags: [Kafka, Redis]\n---\n\n"
        "[![Build](https://ci.example/Google.svg)](https://ci.example)\n"
        "<!-- Google uses Kafka -->\n\n```\nSpotify uses Redis\n```\n\n    $ kafka-topics --list\n\nSee https://google.example/Spotify.\n"
    )
    assert edges(extraction) == {("Acme Corp", "LOCATED_IN", "Oslo")}
    assert facts(extraction) == [("Acme Corp", "Founded 2010", "FOUNDED", "2010")]
    assert named(extraction) == {"Acme Corp": "organization", "Oslo": "place"}


def test_glosses_say_what_a_name_is() -> None:
    """After a colon or a dash, with a verb or without; what is no name has none."""
    extraction = read(
        "# Our stack\n\n- **Postgres**: our main database\n- Redis – cache and queues\n"
        "- Terraform — manages our AWS accounts\n- **Deployment**: automated\n\n"
        "SQLite\n: A small database.\n"
    )
    assert facts(extraction) == [
        ("Postgres", "Our main database", "IS_A", None),
        ("Redis", "Cache and queues", None, None),
        ("Terraform", "Manages our AWS accounts", "MANAGES", None),
        ("SQLite", "A small database", "IS_A", None),
    ]
    assert edges(extraction) == set()


def test_price_lines_and_people_with_their_posts() -> None:
    """In lists and in headings, which what stands below them is about."""
    extraction = read(
        "## Pro — $19/mo\n\n- SSO\n\n# Pricing\n\n- Enterprise Plan: $99/month\n- Shipping: $5\n\n"
        "# Team\n\n- **Mona Berg** — CTO, Acme Corp\n- Li Wei, Designer\n"
    )
    assert edges(extraction) == {("Pro Plan", "INCLUDES", "SSO"), ("Mona Berg", "WORKS_AT", "Acme Corp")}
    assert facts(extraction) == [
        ("Pro Plan", "Costs $19/mo", "COSTS", "19 USD/month"),
        ("Enterprise Plan", "Costs $99/month", "COSTS", "99 USD/month"),
        ("Mona Berg", "CTO at Acme Corp", "HAS_ROLE", None),
        ("Li Wei", "Designer", "HAS_ROLE", None),
    ]


def test_lists_distribute_what_announces_them() -> None:
    """The clause before the colon is completed by each item, whatever the parser makes of it alone."""
    assert edges(read("Google uses:\n\n- Postgres\n- Redis\n\nSpotify supports the following formats:\n* JSON\n")) == {
        ("Google", "USES", "Postgres"),
        ("Google", "USES", "Redis"),
        ("Spotify", "SUPPORTS", "JSON"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "# Starter Plan\n\nIt does not include:\n\n- SSO\n- Audit Logs\n",
        "# Starter Plan\n\nNot included:\n\n- SSO\n",
        "# Starter Plan\n\n## Limitations\n\n- SSO\n",
        "# Starter Plan\n\nWe will add:\n\n- SSO\n",
        "# Starter Plan\n\n## Roadmap\n\n- SSO\n- It includes Okta.\n",
        "# Starter Plan\n\n- [ ] Add SSO\n- [x] Includes Okta\n",
    ],
)
def test_lists_of_what_is_not_there_state_nothing(text: str) -> None:
    """What a line before denies or only plans is not included."""
    extraction = read(text)
    assert (extraction.facts, extraction.relationships) == ([], [])


def test_meeting_notes() -> None:
    """Those present are people; what is to be done is a plan and no fact; what was said is read."""
    extraction = read(
        "# Weekly sync 2024-05-06\n\n**Attendees:** Mona Berg, Erik Holm (Spotify) and Li Wei\n\n## Discussion\n\n- Mona Berg works at Klarna.\n\n"
        "## Action items\n\n- [ ] Mona to migrate to Postgres\n- Erik Holm uses Terraform for the cluster\n\n"
        "AI: Li Wei joins Google\n\nNext steps: Mona leaves Klarna.\n"
    )
    assert edges(extraction) == {("Mona Berg", "WORKS_AT", "Klarna")}
    assert facts(extraction) == []
    people = {name for name, kind in named(extraction).items() if kind == "person"}
    assert people == {"Mona Berg", "Erik Holm", "Li Wei"}


def test_changelogs() -> None:
    """A version is no entity, its date is a fact of what the title names; what is removed, fixed or unreleased states nothing."""
    extraction = read(
        "# Changelog\n\n## [Unreleased]\n\n- Added Oracle support\n\n## [2.3.0] - 2024-05-01\n\n### Added\n\n- Added support for Okta.\n\n"
        "### Removed\n\n- Dropped MySQL.\n\n### Fixed\n\n- Fixed a crash with Redis.\n\n## v2.2.1 (March 3, 2024)\n\n## 2.1 Scope\n",
        title="FastQueue Changelog",
    )
    assert [one for one in facts(extraction) if one[2] == "RELEASED"] == [
        ("FastQueue", "Released version 2.3.0 on 2024-05-01", "RELEASED", "2024-05-01"),
        ("FastQueue", "Released version 2.2.1 on March 3, 2024", "RELEASED", "2024-03-03"),
    ]
    assert edges(extraction) == {("FastQueue", "SUPPORTS", "Okta")}
    assert set(named(extraction)) == {"FastQueue", "Oracle", "Okta", "MySQL", "Redis"}


CHATS = {
    "times in brackets": "[10:02] mona: we moved to Umeå\n[10:03] bob: my brother Erik works at Spotify\n[10:04] eva: lol ok\n",
    "nicks": "10:02 <mona> we moved to Umeå\n10:03 <bob> my brother Erik works at Spotify\n10:04 <eva> lol ok\n",
    "no times": "mona: we moved to Umeå\nbob: my brother Erik works at Spotify\neva: lol ok\n",
    "a line of its own": "mona  10:02 AM\nwe moved to Umeå\nbob  10:03 AM\nmy brother Erik works at Spotify\neva  10:04 AM\nlol ok\n",
    "export": "[2024-05-01, 10:02:11] mona: we moved to Umeå\n"
    "[2024-05-01, 10:03:00] bob: my brother Erik works at Spotify\n2024-05-01 10:04 - eva: lol ok\n",
    "pronouns": "mona (she/her) 10:02 AM\nwe moved to Umeå\nbob (he/him) 10:03 AM\nmy brother Erik works at Spotify\neva 10:04\nlol ok\n",
    "times above": "[10:02 AM] mona\nwe moved to Umeå\n\n[10:03 AM] bob\nmy brother Erik works at Spotify\n\n[10:04 AM] eva\nlol ok\n",
    "bold": "**mona** 10:02\nwe moved to Umeå\n\n**bob** 10:03\nmy brother Erik works at Spotify\n\n**eva** 10:04\nlol ok\n",
}


@pytest.mark.parametrize("text", CHATS.values(), ids=CHATS)
def test_a_chats_speakers_are_i_and_we(text: str) -> None:
    """However the line says who speaks; "my brother" is the speaker's, and who says nothing of themselves is only named."""
    extraction = read(text)
    assert edges(extraction) == {
        ("mona", "MOVED_TO", "Umeå"),
        ("Erik", "BROTHER_OF", "bob"),
        ("Erik", "WORKS_AT", "Spotify"),
    }
    assert named(extraction) == {
        "mona": "person",
        "Umeå": "place",
        "bob": "person",
        "Erik": "person",
        "Spotify": "organization",
        "eva": "person",
    }


@pytest.mark.parametrize(
    "text",
    [
        "[10:02] mona: does bob work at Google?\n[10:03] bob: yes she works at Google\n",
        "mona: I would love to work at Google\n",
        "[10:02] deploy-bot: I work at Google\n",
        "Note: I work at Google\n",
        "tominator42: I work at Google\n",
        "Q: Where do you work?\nA: I work at Google.\n",
    ],
)
def test_what_a_chat_does_not_say(text: str) -> None:
    """ "She" is never who speaks; a note, an answer and a robot are nobody."""
    assert read(text).relationships == []


def test_a_list_in_a_chat_is_the_speakers() -> None:
    """The items complete the speaker's sentence, until somebody else speaks."""
    extraction = read("[10:02] Mona Berg: We moved from:\n- Oslo\n- Bergen\n[10:03] Erik Holm: I live in Umeå\n")
    assert edges(extraction) == {
        ("Mona Berg", "MOVED_FROM", "Oslo"),
        ("Mona Berg", "MOVED_FROM", "Bergen"),
        ("Erik Holm", "LIVES_IN", "Umeå"),
    }


def test_a_mail_is_its_senders() -> None:
    """Headers name people and claim nothing, what is quoted is nobody's, a signature is a post."""
    extraction = read(
        "From: Mona Berg <mona@acme.example>\nTo: Erik Holm <erik@x.example>\nSubject: Our move\nDate: Mon, 6 May 2024\n\nHi Erik,\n\n"
        "I live in Umeå. I will move to Oslo in May.\n\n> I live in Bergen.\n\nBest regards,\nMona Berg\nStaff Engineer, Acme Corp\n"
    )
    assert edges(extraction) == {("Mona Berg", "LIVES_IN", "Umeå"), ("Mona Berg", "WORKS_AT", "Acme Corp")}
    assert facts(extraction) == [("Mona Berg", "Staff Engineer at Acme Corp", "HAS_ROLE", None)]
    assert {name for name, kind in named(extraction).items() if kind == "person"} == {"Mona Berg", "Erik Holm"}


@pytest.mark.parametrize(
    "heading",
    ["Feature Comparison", "Getting Started", "Next Steps", "Frequently Asked Questions", "How It Works", "Changelog"],
)
def test_headings_of_common_words_name_nothing(heading: str) -> None:
    """Their capitals are a heading's."""
    assert read(f"# {heading}\n\nThis is short.\n") == Extraction()


def test_fields_name_what_their_labels_ask_for() -> None:
    """A person's file in YAML, an organization's infobox: names that no list knows are found by their labels."""
    person = read("name: Marko Mudrinić\nID: xmudrii\ninfo:\n  - employer: Kubermatic\n")
    assert edges(person) == {("Marko Mudrinić", "WORKS_AT", "Kubermatic")}
    assert named(person) == {"Marko Mudrinić": "person", "Kubermatic": "organization"}
    organization = read(
        "# Frobnicate\n\n- **Headquarters:** Göteborg, Sweden\n- **Founders:** Ann Lee, Bo Ek\n- **Founded:** 2010\n- **Website:** www.frob.example\n"
    )
    assert edges(organization) == {
        ("Frobnicate", "LOCATED_IN", "Göteborg"),
        ("Frobnicate", "FOUNDED_BY", "Ann Lee"),
        ("Frobnicate", "FOUNDED_BY", "Bo Ek"),
    }
    assert facts(organization) == [("Frobnicate", "Founded 2010", "FOUNDED", "2010")]


def test_fields_of_a_person() -> None:
    """A role is no employer, and an employer no role."""
    extraction = read(
        "Name: Jane Roe\nRole: Staff Engineer\nCompany: Acme Corp\nBorn: 3 May 1980\nEmail: jane@roe.example\n"
    )
    assert edges(extraction) == {("Jane Roe", "WORKS_AT", "Acme Corp")}
    assert facts(extraction) == [
        ("Jane Roe", "Staff Engineer", "HAS_ROLE", None),
        ("Jane Roe", "Born 3 May 1980", "BORN", "1980-05-03"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Meeting\n\nLocation: Conference Room B\nDate: 5 May 2024\nCompany: TBD\n",
        "name: my-package\nversion: 1.0.0\nlicense: MIT\n",
        "Steps to reproduce: run it\nExpected: it works\nActual: it crashes\n",
    ],
)
def test_fields_of_nobody(text: str) -> None:
    """A room, a package and a report of a defect are about nothing named."""
    assert read(text) == Extraction()


def test_a_column_of_features_is_a_list() -> None:
    """Each item is included, by name or in words; what brackets add to a plan is no part of its name."""
    extraction = read(
        "| Plan | Price | Features |\n|---|---|---|\n| Hobby (Free) | €0/month | SSO, community support |\n"
    )
    assert edges(extraction) == {("Hobby", "INCLUDES", "SSO")}
    assert facts(extraction) == [
        ("Hobby", "Price €0/month", "COSTS", "0 EUR/month"),
        ("Hobby", "Includes community support", "INCLUDES", None),
    ]


def test_an_interview_is_its_speakers() -> None:
    """Names in capitals, roles in brackets; who asks is nobody."""
    extraction = read(
        "INTERVIEWER: Where do you live?\nMONA BERG: I live in Umeå.\nERIK HOLM (CEO): I founded Acme Corp in 2010.\nINTERVIEWER: Thank you!\n"
    )
    assert edges(extraction) == {("Mona Berg", "LIVES_IN", "Umeå"), ("Acme Corp", "FOUNDED_BY", "Erik Holm")}
    assert set(named(extraction)) == {"Mona Berg", "Umeå", "Erik Holm", "Acme Corp"}


@pytest.mark.parametrize(
    "text",
    [
        "# Spotify\n\nMerges redirect: a claim keeps the subject it was stated for, so that undoing it is exact.\n",
        "# Spotify\n\nRemember this: the server runs in a container on a machine of its own.\n",
    ],
)
def test_a_colon_in_a_sentence_makes_no_field(text: str) -> None:
    """Many words on either side are no label and no value."""
    assert read(text).facts == []


def test_a_column_that_counts_the_rows_is_no_name() -> None:
    """The second column holds the things then; a row that is cut short says what it has."""
    extraction = read("| # | Team | Points |\n|---|---|---|\n| 1 | Arsenal | 80 |\n| 2 |\n| 3 | Chelsea |\n")
    assert facts(extraction) == [("Arsenal", "Points: 80", "POINTS", "80")]
    assert set(named(extraction)) == {"Arsenal", "Chelsea"}


def test_logs_are_nobodys_words() -> None:
    """A level is no name."""
    assert (
        edges(
            read("2024-05-01 10:02:33 INFO server: I connected to Redis\n2024-05-01 10:02:34 ERROR kafka: We lost it\n")
        )
        == set()
    )


@pytest.mark.parametrize(
    "dateline", ["BERLIN, 3 March 2024 - ", "Berlin, March 3, 2024 — ", "NEW YORK (AP) — ", "BERLIN -- "]
)
def test_a_dateline_is_no_subject_of_its_report(dateline: str) -> None:
    extraction = read(f"{dateline}Oracle acquired Spotify for 120 million euros after a year of talks.")
    assert edges(extraction) == {("Oracle", "ACQUIRED", "Spotify")}
    (edge,) = extraction.relationships
    assert edge.quote == "Oracle acquired Spotify for 120 million euros after a year of talks."
