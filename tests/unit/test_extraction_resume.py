"""Résumés as people write them, in Markdown and in plain text: each text with exactly what it yields, and what it must not."""

from __future__ import annotations

import pytest

from server.services.extraction.dates import stated
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction, Instant, KnownName

Job = tuple[str, str, str, str, str | None]


def read(
    text: str, *, title: str = "", known: tuple[KnownName, ...] = (), headings: tuple[str, ...] = ()
) -> Extraction:
    return OfflineExtractor().extract(ChunkText(text, title, known, headings))


def jobs(extraction: Extraction, kind: str = "WORKS_AT") -> list[Job]:
    """Return the edges of one type: who, where, from, until, as what."""
    names = {one.key: one.name for one in extraction.entities}
    return [
        (
            names.get(edge.source, edge.source),
            names[edge.target],
            _day(edge.valid_from),
            _day(edge.valid_to),
            edge.description,
        )
        for edge in extraction.relationships
        if edge.type == kind
    ]


def skills(extraction: Extraction) -> list[str]:
    names = {one.key: one.name for one in extraction.entities}
    return [names[edge.target] for edge in extraction.relationships if edge.type == "HAS_SKILL"]


def facts(extraction: Extraction, predicate: str) -> list[str]:
    return [fact.content for fact in extraction.facts if fact.predicate == predicate]


def _day(instant: Instant | None) -> str:
    return instant.at.date().isoformat() if instant else ""


@pytest.mark.parametrize(
    "lines",
    [
        "### Staff Engineer, Allegro — Warsaw\n*March 2021 – June 2023*",
        "### Staff Engineer | Allegro\n*Warsaw* | *03/2021 – 06/2023*",
        "Allegro | Staff Engineer | Mar 2021 - Jun 2023",
        "**Staff Engineer** at Allegro (March 2021–June 2023)",
        "**Staff Engineer**\nAllegro, Warsaw\n2021/03 – 2023/06",
        "*MAR 2021 – JUN 2023*\nStaff Engineer, Allegro",
        "### Allegro\n**Staff Engineer** (03.2021–06.2023)",
        "- March 2021 – June 2023: Staff Engineer, Allegro, Warsaw",
        "Staff Engineer, Allegro                       Mar '21 – Jun '23",
        "Staff Engineer @ Allegro, Mar 2021 to Jun 2023.",
    ],
)
def test_a_job_is_one_edge_and_one_role_however_it_is_set(lines: str) -> None:
    """Role, employer and dates on one line or on three, the date before or after; the town is no employer."""
    extraction = read(f"# Jane Roe\n\n## Experience\n\n{lines}\n\n- Led a team of five.\n")
    assert jobs(extraction) == [("Jane Roe", "Allegro", "2021-03-01", "2023-07-01", "Staff Engineer")]
    roles = facts(extraction, "HAS_ROLE")
    assert len(roles) == 1
    assert roles[0].startswith("Staff Engineer at Allegro ")


def test_a_resume_in_plain_text_has_its_person_at_the_top() -> None:
    """A name in capitals, a headline, contacts, sections without Markdown; a later job follows an achievement at once."""
    extraction = read(
        "JANE Q. ROE\nSoftware Engineer\njane@roe.example | (555) 555-1234 | Oslo, Norway\n\nEXPERIENCE\n\n"
        "Senior Software Engineer\nTechCorp (2020-Present)\n• Mentored five juniors\n\nSoftware Engineer\nStartupXYZ (2018-2020)\n"
        "• Built a dashboard using React\n\nEDUCATION\n\nBachelor of Science in Computer Science\nStanford University, 2014 - 2018\n"
    )
    assert jobs(extraction) == [
        ("Jane Q. Roe", "TechCorp", "2020-01-01", "", "Senior Software Engineer"),
        ("Jane Q. Roe", "StartupXYZ", "2018-01-01", "2021-01-01", "Software Engineer"),
    ]
    assert jobs(extraction, "STUDIED_AT") == [
        ("Jane Q. Roe", "Stanford University", "2014-01-01", "2019-01-01", "Bachelor of Science in Computer Science")
    ]
    assert facts(extraction, "HAS_ROLE") == [
        "Software Engineer",
        "Senior Software Engineer at TechCorp 2020-Present",
        "Software Engineer at StartupXYZ 2018-2020",
    ]


def test_an_employer_above_several_roles_has_them_all() -> None:
    """The next heading of its level ends that; "Freelance" is no employer, and neither is what brackets add to a role."""
    extraction = read(
        "# Anna Kowalska\n\n## Work Experience\n\n### Accenture LP, New York, NY\n\n#### Engineer (Backend DevOps), Jan 2023 - Present\n\n"
        "- Wrote tests.\n\n#### Analyst, Jan 2022 - Dec 2022\n\n### Freelance\n\n#### Engineer (Frontend React.js), 2020\n"
    )
    assert jobs(extraction) == [
        ("Anna Kowalska", "Accenture LP", "2023-01-01", "", "Engineer"),
        ("Anna Kowalska", "Accenture LP", "2022-01-01", "2023-01-01", "Analyst"),
    ]


@pytest.mark.parametrize(
    ("line", "school", "since", "until", "degree"),
    [
        (
            "M.Sc. Computer Science, ETH Zürich, 2012–2014",
            "ETH Zürich",
            "2012-01-01",
            "2015-01-01",
            "M.Sc. Computer Science",
        ),
        ("M.Sc., Computer Science, ETH Zürich", "ETH Zürich", "", "", "M.Sc. Computer Science"),
        ("- Ph.D. in Biomedicine (UAB, 2020)", "UAB", "", "", "Ph.D. in Biomedicine"),
        (
            "2008–2012 BSc Physics, Imperial College London",
            "Imperial College London",
            "2008-01-01",
            "2013-01-01",
            "BSc Physics",
        ),
        (
            "### **University of Oslo**\n*Oslo* | *2014 – 2018*\n\n* **B.S. in Chemistry**",
            "University of Oslo",
            "2014-01-01",
            "2019-01-01",
            "B.S. in Chemistry",
        ),
        (
            "- **PhD in Physics**, University of Oslo, 2014. Thesis: Dark matter.",
            "University of Oslo",
            "",
            "",
            "PhD in Physics",
        ),
    ],
)
def test_studies_are_an_edge_and_a_degree(line: str, school: str, since: str, until: str, degree: str) -> None:
    """The field of study is no school; a single year is when the degree was taken, not how long somebody was there."""
    extraction = read(
        f"# Jane Roe\n\n## Education\n\n{line}\n- Relevant coursework: Data Structures, Algorithms\n- GPA: 3.9\n"
    )
    assert jobs(extraction, "STUDIED_AT") == [("Jane Roe", school, since, until, degree)]
    assert [content.split(" at ")[0] for content in facts(extraction, "HAS_DEGREE")] == [degree]
    assert {one.name for one in extraction.entities} == {"Jane Roe", school}


def test_skills_are_edges_to_technologies_and_words_otherwise() -> None:
    """Categories, levels, versions and bars are no part of a skill; common words are facts, never entities."""
    extraction = read(
        "# Jane Roe\n\n## Experience\n\nEngineer, Allegro, 2020\n\n- **Technologies:** Kafka, Airflow\n\n## Skills\n\n"
        "- **Languages:** Python 3, Go and SQL\n- Docker (expert) • Kubernetes – 5 years\n- Leadership, Public speaking\n"
    )
    assert skills(extraction) == ["Kafka", "Airflow", "Python", "Go", "SQL", "Docker", "Kubernetes"]
    assert facts(extraction, "HAS_SKILL") == ["Skill: Leadership", "Skill: Public speaking"]
    kinds = {one.name: one.type for one in extraction.entities}
    assert kinds.pop("Jane Roe") == "person"
    assert kinds.pop("Allegro") == "organization"
    assert set(kinds.values()) == {"technology"}


def test_languages_and_certificates_are_facts() -> None:
    """What somebody speaks is a value; who issued a certificate is a part of what it is called."""
    extraction = read(
        "# Jane Roe\n\n## Education\n\n## Languages\n\nPolish (native), English (C2)\n\n## Certifications\n\n- AWS Certified Architect (2020)\n"
    )
    assert [(fact.content, fact.predicate, fact.value, _day(fact.valid_from)) for fact in extraction.facts] == [
        ("Speaks Polish (native)", "SPEAKS", "Polish", ""),
        ("Speaks English (C2)", "SPEAKS", "English", ""),
        ("AWS Certified Architect (2020)", "HAS_CERTIFICATE", None, "2020-01-01"),
    ]
    assert [one.name for one in extraction.entities] == ["Jane Roe"]


@pytest.mark.parametrize(
    "title",
    ["Oluwaseun Adeyemi — Résumé", "Resume of Oluwaseun Adeyemi", "CV | Oluwaseun Adeyemi", "Oluwaseun Adeyemi CV.pdf"],
)
def test_the_title_says_whose_resume_it_is(title: str) -> None:
    """A name that no list knows is the person's where the title says that it is a résumé."""
    assert jobs(read("## Experience\n\nNurse, Oslo Hospital, 2020–2021\n", title=title)) == [
        ("Oluwaseun Adeyemi", "Oslo Hospital", "2020-01-01", "2022-01-01", "Nurse")
    ]


def test_i_am_the_person_of_the_resume() -> None:
    """The first person in a profile, "my" included."""
    extraction = read(
        "# Mona Berg\n\nI live in Umeå. My brother Erik works at Spotify.\n\n## Experience\n\nEngineer, Klarna, 2020\n"
    )
    names = {one.key: one.name for one in extraction.entities}
    assert {(names[e.source], e.type, names[e.target]) for e in extraction.relationships} == {
        ("Mona Berg", "LIVES_IN", "Umeå"),
        ("Erik", "BROTHER_OF", "Mona Berg"),
        ("Erik", "WORKS_AT", "Spotify"),
        ("Mona Berg", "WORKS_AT", "Klarna"),
    }


def test_a_later_chunk_goes_on_with_the_person_and_the_section() -> None:
    """The headings from before the chunk say whose jobs these are; somebody whom the document never named is nobody."""
    text = "Engineer, Klarna, 2018–2019\n\nAnalyst, Nokia, 2016–2017\n"
    known = (KnownName("p1", "Jane Roe", "person"),)
    assert jobs(read(text, known=known, headings=("Jane Roe", "Experience"))) == [
        ("p1", "Klarna", "2018-01-01", "2020-01-01", "Engineer"),
        ("p1", "Nokia", "2016-01-01", "2018-01-01", "Analyst"),
    ]
    assert jobs(read(text, headings=("Jane Roe", "Experience"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "# Senior Backend Engineer\n\n## Responsibilities\n\n- Build services.\n\n## Skills\n\n- Communication\n",
        "# Guide\n\n## Education\n\nThis page teaches how to write.\n\n## Experience\n\nWork in progress.\n",
        "# Team handbook\n\n## Experience\n\nEngineer, 2019–2020\n",
        "# Jane Roe\n\n## Interests\n\nClimbing, Chess, Science fiction\n\n## References\n\nAvailable on request.\n",
    ],
)
def test_what_is_no_resume_has_no_jobs(text: str) -> None:
    """A posting, a guide and a handbook have sections of the same names, and hobbies are no skills."""
    extraction = read(text)
    assert (extraction.facts, extraction.relationships) == ([], [])
    assert {one.name for one in extraction.entities} <= {"Jane Roe"}


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("03/2021 – now", "2021-03-01", ""),
        ("MAR 2019 – JUN 2020", "2019-03-01", "2020-07-01"),
        ("Jan–Mar 2021", "2021-01-01", "2021-04-01"),
        ("(2019 –)", "2019-01-01", ""),
        ("2015-18", "2015-01-01", "2019-01-01"),
        ("Sept. 2012 to Dec. 2014", "2012-09-01", "2015-01-01"),
        ("May 2020 – ongoing", "2020-05-01", ""),
        ("since 2021", "2021-01-01", ""),
        ("2020-05", "2020-05-01", "2020-06-01"),
    ],
)
def test_dates_as_resumes_write_them(text: str, since: str, until: str) -> None:
    """Month and year in any order and case; what is open stays open."""
    when = stated(f"Engineer, Acme, {text}")
    assert when is not None
    assert (_day(when.since), _day(when.until)) == (since, until)


@pytest.mark.parametrize("text", ["March Networks", "Room 2021b", "+48 123 456 789", "version 3.11", ""])
def test_what_is_no_date_of_a_resume(text: str) -> None:
    """Names, numbers and telephones are none."""
    assert stated(text) is None


def test_skills_in_a_table_and_a_role_that_goes_on() -> None:
    """The first cell is a category; what the work was about is no part of the role."""
    extraction = read(
        "# Jane Roe\n\n## Experience\n\n### Ericsson\n*2018 – present*\n\nSoftware engineer working on 5G.\n\n"
        "## Skills\n\n| Area | Skills |\n|---|---|\n| Languages | Python, Go |\n| Cloud | Terraform |\n"
    )
    assert jobs(extraction) == [("Jane Roe", "Ericsson", "2018-01-01", "", "Software engineer")]
    assert skills(extraction) == ["Python", "Go", "Terraform"]
    assert facts(extraction, "HAS_SKILL") == []
