"""Columns: what the heads of a table's columns say: which kind of thing a column names, and how it stands to the row's own.

Heads are words of everyday use, so this is a list; what is not on it makes plain facts, or nothing where it describes software.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from server.services.extraction import vocabulary


def _by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: value for value, words in table.items() for word in words.split("|")}


_KINDS = _by_word(
    {
        "product": "browser|plan|tier|edition|package|subscription|product|service|app|application|device|"
        "model|offering",
        "technology": "operating system|os|distribution|editor|ide|tool|technology|library|framework|language|database|system|software|"
        "component|platform|programming language|engine",
        "organization": "company|organization|organisation|vendor|provider|customer|client|employer|partner|university|"
        "school|manufacturer|institution|supplier|competitor|startup|team|bank|club",
        "person": "person|employee|member|attendee|participant|author|speaker|engineer|student|founder|owner|lead|manager|maintainer|colleague|"
        "player|"
        "full name|team member|teammate|ceo|cto|cfo|coo|director|creator|contact|developer|candidate|artist|architect|teacher",
        "place": "country|city|place|location|region|office|headquarters|hq|capital|continent|state|town|birthplace|"
        "site|base|based in",
        "event": "event|conference|festival",
        "work": "book|film|movie|album|novel|song",
    }
)
_EDGES = _by_word(
    {
        "LOCATED_IN": "location|city|country|region|office|headquarters|hq|based in|site|continent|state|town|base|place|"
        "located in",
        "BORN_IN": "birthplace|place of birth|born in",
        "STUDIED_AT": "alma mater|university|school|education|studied at",
        "MADE_BY": "manufacturer|maker|company",
        "DEVELOPED_BY": "developer|developers|developed by",
        "PROVIDED_BY": "vendor|provider|supplier|provided by",
        "OWNED_BY": "owner|parent|parent company|owned by",
        "FOUNDED_BY": "founder|founders|founded by|co-founders|cofounders",
        "WRITTEN_BY": "author|authors|writer|written by",
        "CREATED_BY": "creator|created by|inventor|invented by",
        "MAINTAINED_BY": "maintainer|maintainers|maintained by",
        "DIRECTED_BY": "director|directed by",
        "LED_BY": "lead|leader|team lead|tech lead|led by",
        "MANAGED_BY": "manager|managed by",
        "WRITTEN_IN": "language|languages|written in|programming language",
        "USES": "database|databases|stack|tech stack|technologies|technology|tools|framework|frameworks|frontend|"
        "backend|hosting|cloud|infrastructure|uses|built with|libraries|tooling",
        "REQUIRES": "requires|requirements|required",
        "DEPENDS_ON": "depends on|dependencies|dependency",
        "COMPATIBLE_WITH": "compatible with|integrations|integrates with|works with",
        "INCLUDES": "includes|included|features",
        "CAPITAL": "capital|capital city",
        "WORKS_AT": "employer|works at|organization|organisation",
        "MEMBER_OF": "team|member of|club|band|party",
    }
)
_DATES = _by_word(
    {
        "FOUNDED": "founded|established|year founded|founding year|founding date|inception",
        "RELEASED": "released|release date|release|released on|first release|initial release",
        "LAUNCHED": "launched|launch date|launch|launch year",
        "PUBLISHED": "published|publication date|year published|publication year",
        "BORN": "born|date of birth|birth date|birthday|birth year|dob",
        "DIED": "died|date of death|death date",
    }
)
_POSTS = vocabulary.wordset("role title position job post function designation") | {"job title", "current role"}
_DEGREES = vocabulary.wordset("degree qualification diploma programme program major")
_OFFICERS = vocabulary.wordset("ceo cto cfo coo president chairman chairwoman")
_PRICES = vocabulary.wordset("price pricing cost costs fee monthly annual annually yearly rate")
_DEFINITIONS = vocabulary.wordset("description purpose about what summary definition")
_SILENT = vocabulary.wordset(
    "# no no. nr id link links url website docs documentation note notes comment comments remark remarks example examples email e-mail "
    "phone tel github linkedin twitter photo image avatar slack handle since rank source reference references ref last-updated updated logo"
)
_SOFTWARE = vocabulary.wordset(
    "parameter parameters param option options flag flags argument arguments arg command commands method methods endpoint endpoints route path "
    "field fields key keys variable variables setting settings property properties attribute attributes code error function functions class type "
    "types default column table prop props env shortcut file directory port test metric symbol token syntax operator keyword abbreviation"
) | {"environment variable", "status code", "error code", "http method", "return value", "data type", "config key"}
_PLANNING = vocabulary.wordset("action actions task tasks todo deadline due assignee eta blocker risk") | {
    "action item",
    "due date",
    "assigned to",
    "next step",
    "target date",
    "planned",
    "story",
    "acceptance criteria",
}
_PAIRED = (
    vocabulary.wordset("field property attribute key item fact detail details info specification spec") | {""},
    vocabulary.wordset("value values details detail content data") | {""},
)
_LABELS = vocabulary.wordset(
    "feature features capability capabilities functionality criteria criterion attribute aspect limit limits"
) | {
    "",
    "what you get",
    "what's included",
}
_QUALITIES = vocabulary.wordset(
    "active status state done result ready passed free required optional available enabled supported stable deprecated"
    " public default recommended paid maintained beta"
) | {"open source", "open-source", "self hosted", "self-hosted", "in use"}
_PHRASE = re.compile(
    r"([a-z]+(?:s|ed|en|n|t)) (?:on|by|in|with|at|to|for|from|of)$|(?:uses|supports|replaces|owns|acquired|sponsors|hosts)$"
)


def key(head: str) -> str:
    """Return the head as it is looked up: lower case, without what its brackets add."""
    return " ".join(re.sub(r"\(.*?\)|\[.*?\]|[*:?]", " ", head).lower().split())


def kind(head: str) -> str | None:
    """Return the type of what stands in a column; "Customers" is read as "customer"."""
    return _KINDS.get(head) or _KINDS.get(head.removesuffix("s")) or _KINDS.get(head.removesuffix("ies") + "y")


def edge(head: str, subject: str) -> str | None:
    """Return the type of the edge from the row's own thing, of type `subject`, to what the column names."""
    found = _EDGES.get(head) or (head.upper().replace(" ", "_") if _PHRASE.match(head) else None)
    if subject == "person":
        people = {
            "MADE_BY": "WORKS_AT",
            "USES": "HAS_SKILL",
            "WRITTEN_IN": "HAS_SKILL",
            "LED_BY": "REPORTS_TO",
            "MANAGED_BY": "REPORTS_TO",
        }
        return (
            people.get(found or "", found) if found not in {"INCLUDES", "OWNED_BY", "CAPITAL", "DEVELOPED_BY"} else None
        )
    if found in {"WORKS_AT", "MEMBER_OF"}:
        return "PART_OF"
    if found == "STUDIED_AT" or (found == "WRITTEN_IN" and subject in {"organization", "place"}):
        return None
    return found


def is_post(head: str) -> bool:
    return head in _POSTS


def is_degree(head: str) -> bool:
    return head in _DEGREES


def is_career(head: str) -> bool:
    """Tell whether the column says what somebody was or studied at the row's own organization."""
    return head in _POSTS or head in _DEGREES


def is_officer(head: str) -> bool:
    """Tell whether the column names who holds the post that its head is."""
    return head in _OFFICERS


def is_price(head: str) -> bool:
    return bool(_PRICES & set(head.replace("/", " ").split()))


def date(head: str) -> str | None:
    """Return the predicate of a date's column."""
    return _DATES.get(head)


def is_definition(head: str) -> bool:
    return head in _DEFINITIONS


def is_known(head: str) -> bool:
    """Tell whether the head is one of those that say how a column stands to the row's own thing."""
    return (
        head in _EDGES or head in _DATES or head in _POSTS or is_price(head) or head in _DEFINITIONS or head in _SILENT
    )


def is_silent(head: str) -> bool:
    return head in _SILENT or not re.search(r"[^\W\d_]", head)


def is_quality(head: str) -> bool:
    """Tell whether "yes" under the head says how a thing is, not what it includes."""
    return head in _QUALITIES


def is_label(head: str) -> bool:
    """Tell whether the first column holds labels, so that the others hold the things."""
    return head in _LABELS


def is_pair(heads: list[str]) -> bool:
    """Tell whether a table of two columns holds fields of something else."""
    return len(heads) == 2 and heads[0] in _PAIRED[0] and heads[1] in _PAIRED[1]


def tells_nothing(heads: list[str]) -> bool:
    """Tell whether the table documents an interface or lists what is still to be done."""
    planning = any(head in _PLANNING for head in heads)
    return planning or heads[0] in _SOFTWARE or ("type" in heads and "default" in heads)


def names_people(heads: list[str]) -> bool:
    """Tell whether "Name" in the first column means people."""
    hints = vocabulary.wordset("email e-mail age phone department birthday born gender nationality") | {
        "start date",
        "date of birth",
    }
    return any(head in _POSTS or head in hints for head in heads[1:])
