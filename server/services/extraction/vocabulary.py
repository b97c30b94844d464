"""Vocabulary: the word lists that the rules consult, read from data/ once. Lists are data: a name is added there, not here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

_LISTED_TYPES = {
    "technologies": "technology",
    "products": "product",
    "features": "feature",
    "concepts": "concept",
    "organizations": "organization",
    "places": "place",
}
_LOWERED_TYPES = frozenset({"technology", "product", "organization", "place"})
_WORD = re.compile(r"\w+|.", re.DOTALL)


_CHAMBERS = re.compile(
    r".*House of (?:Commons|Lords|Representatives|Assembly|Delegates|Keys|Burgesses|Councillors|Peers)\b"
)


def is_dynasty(name: str) -> bool:
    """Tell whether a name is that of a ruling family, which employs nobody and is ruled by none: House of Orange."""
    return "House of " in name and _CHAMBERS.match(name) is None


def wordset(words: str) -> frozenset[str]:
    """Return the words of `words`."""
    return frozenset(words.split())


LEGAL_FORMS = wordset("inc inc. corp corp. ltd ltd. llc plc gmbh ag se sa s.a. bv co co. company corporation limited")
ORGANIZATION_HEADS = LEGAL_FORMS | wordset(
    "gallery observatory conservatory conservatoire planetarium aquarium orphanage "
    "university institute college school academy bank group holdings labs laboratory laboratories laboratorium technologies systems robotics "
    "analytics software solutions industries partners ventures foundation association society ministry department agency council "
    "committee commission party church hospital museum library press records entertainment pictures studios motors airlines "
    "railways energy pharmaceuticals insurance logistics consulting universität hochschule team united fc afc army navy parliament "
    "government senate congress league union federation confederation alliance coalition institution bureau authority corps brigade "
    "regiment battalion guard police diocese orchestra philharmonic symphony quartet choir band club capital "
    "communications networks media broadcasting television productions films cinema theatre theater newspaper times herald gazette "
    "post tribune chronicle aerospace aviation aircraft motor automotive electronics semiconductors "
    "biotech therapeutics diagnostics healthcare clinic brewery foods bakery apparel fashion publishing publishers books inn hotels "
    "hotel resorts airways lines cruises shipping steel mining petroleum oil gas electric power utilities telecom mobile wireless "
    "tech digital interactive congregation seminary polytechnic gymnasium lyceum kindergarten"
)
ORGANIZATION_OPENERS = wordset(
    "sig café cafe restaurant hotel university institute bank ministry department college academy museum church school"
)
PLACE_HEADS = wordset(
    "city county province district river lake sea ocean island islands mountain mountains mount street avenue road square valley bay "
    "desert park bridge airport station castle abbey cathedral chapel village town kingdom republic state peninsula coast falls canyon creek "
    "forest plateau basin canal harbor harbour cemetery palace stadium arena plaza boulevard lane highway glacier volcano gulf strait "
    "archipelago tower zoo house heights hill hills springs beach peak ridge woods estate manor mansion barracks parish"
)
EVENT_HEADS = wordset(
    "war battle revolution conference summit olympics games festival championship championships cup election treaty olympiad marathon "
    "tournament derby storm hurricane typhoon cyclone series siege uprising rebellion coup massacre genocide crisis earthquake eruption expo "
    "biennale hackathon oscars grammys "
    "crusade holocaust renaissance enlightenment reformation regatta symposium prix playoffs"
)
TECHNOLOGY_HEADS = wordset(
    "framework library protocol language api sdk engine server browser compiler kernel driver toolkit desktop guidelines specification "
    "standard format database runtime linux os script shell markup algorithm network model toolbox controller module plugin extension "
    "manager client proxy gateway encoding"
)
FEATURE_HEADS = wordset("mode view tab dashboard panel search assist insights reports alerts editor")
OF_HEADS = (
    ORGANIZATION_OPENERS
    | PLACE_HEADS
    | EVENT_HEADS
    | wordset(
        "bank act order legion reign house government parliament faculty office council court league union federation confederation "
        "association society institution museum library party army diocese archdiocese congregation community siege peace edict declaration "
        "convention constitution charter gospel hall tower temple statue basilica gulf cape isle isles strait port duchy principality "
        "commonwealth dominion empire brotherhood knights journal encyclopedia bureau centre center chamber guild conservatory states "
        "trustees massacre campaign conquest invasion fall age era feast day museum gallery theatre theater opera convent monastery priory "
        "agency authority commission committee fund trust institute foundation organization organisation alliance coalition conference "
        "congress front movement network service fellowship ministry friends sons daughters fields garden gardens tomb wall valley hills "
        "museums archives lord game prince tale legend book song lady man king branch fork band tribe laboratory laboratories lab observatory"
    )
)
HEADS = ORGANIZATION_HEADS | OF_HEADS
"""Words that end or open the name of an institution, a place or an event."""
"""Capitalised nouns that take "of" into a name: Bank of America, Act of Union, Tower of London."""
PLAN_NOUNS = wordset("plan tier edition package subscription")
TIERS = wordset(
    "free starter basic standard professional pro plus premium business team teams growth enterprise ultimate essentials"
)
TITLES = wordset(
    "mr mr. mrs mrs. ms ms. dr dr. prof prof. sir lady lord king queen president professor captain senator saint "
    "prime minister count countess duke duchess baron baroness prince emperor empress cardinal bishop archbishop pope rabbi "
    "margrave marquess earl viscount consort lieutenant colonel sergeant reverend archduke tsar sultan chancellor premier judge justice "
    "governor mayor admiral commander commodore rear marshal brigadier general major-general rev rev. hon hon. gen gen. "
    "col col. sgt sgt. capt capt. lt lt. maj maj. rep rep. sen sen. gov gov. emeritus sheikh sheik imam ayatollah maharaja raja "
    "pharaoh emerita chief coach doña señor herr frau monsieur madame mme mlle abbot abbess "
    "det det. insp insp. supt supt. deacon vicar pastor rector provost dame sire infanta dauphin"
)
TITLE_ROLES = wordset(
    "engineer developer programmer architect scientist researcher analyst designer consultant manager director officer executive "
    "ceo cto cfo coo cio cmo founder co-founder cofounder lecturer intern assistant spokesperson spokesman spokeswoman secretary treasurer "
    "leader representative congressman congresswoman ambassador commissioner chairman chairwoman chairperson mp msp mep"
)
PARTICLES = wordset(
    "de da do du del della dei degli delle dello di dos des der den von van zu zum zur vom bin bint ibn ben ap mac ua ní al el la le ter ten y"
)

KIN = wordset(
    "boyfriend girlfriend stepfather stepmother "
    "brother sister son daughter father mother wife husband cousin uncle aunt nephew niece grandson granddaughter grandfather "
    "grandmother widow widower spouse child parent stepson stepdaughter half-brother half-sister friend colleague student teacher mentor "
    "partner fiancé fiancée consort"
)

STATES = wordset(
    "AL AK AZ AR CA CO CT DC DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT "
    "VT VA WA WV WI WY Mass. Calif. Conn. Fla. Ill. Mich. Minn. Pa. Tenn. Va. Wash. Wis. Ore. Ariz. Colo. Ga. Md. Mo. N.C. N.J. N.Y. Ont. B.C."
)
"""How states are abbreviated behind their cities."""

CLASSES: dict[str, frozenset[str]] = {
    "organization": wordset(
        "company firm startup organization organisation university school bank institute agency group team business employer vendor "
        "retailer airline manufacturer party band club newspaper magazine museum foundation studio label charity union college association "
        "ministry department corporation subsidiary nonprofit conglomerate carmaker broadcaster publisher"
    ),
    "product": wordset(
        "plan tier product package subscription edition service app application tool platform device phone smartphone console"
    ),
    "technology": wordset(
        "library framework language model system architecture protocol tool database engine platform software technology format standard "
        "compiler browser runtime kernel algorithm specification codec editor"
    ),
    "person": wordset(
        "engineer scientist author writer actor actress director singer physicist mathematician professor founder politician man woman "
        "composer painter novelist poet historian philosopher chemist biologist filmmaker footballer musician journalist"
    ),
    "place": wordset(
        "city country town village region state river island lake mountain province district county capital"
    ),
    "event": wordset("war conference battle event summit festival tournament championship treaty"),
    "work": wordset("book film movie novel album song paper series play single opera poem documentary show sequel"),
    "feature": wordset("feature"),
}
"""Common nouns by the type of what they can stand for: "the library" may be a technology."""

TYPE_NOUNS = {noun: kind for kind in reversed(CLASSES) for noun in sorted(CLASSES[kind])}
"""The type that "X is a <noun>" gives X; where a noun stands in several classes, the first one."""


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of data/<name>.txt, lower-case ones as they stand; lines that start with # are comments."""
    return frozenset(word for line in _lines(name) for word in line.split())


@cache
def phrases(name: str) -> tuple[str, ...]:
    """Return the entries of data/<name>.txt: lines, and on a line what semicolons part."""
    return tuple(entry.strip() for line in _lines(name) for entry in line.split(";") if entry.strip())


@cache
def listed() -> dict[str, str]:
    """Return the type of every listed name, by the name as it is written; what is also a common word is not among them."""
    unclear = words("technologies_ambiguous")
    return {phrase: kind for name, kind in _LISTED_TYPES.items() for phrase in phrases(name) if phrase not in unclear}


@cache
def regions() -> frozenset[str]:
    """Return the listed countries, states and regions, which cities lie in: what data/places.txt holds before its cities."""
    return _places_before("# cities")


@cache
def countries() -> frozenset[str]:
    """Return the listed countries: what data/places.txt holds first."""
    return _places_before("# parts of the world")


def _places_before(heading: str) -> frozenset[str]:
    text = files(__package__).joinpath("data", "places.txt").read_text(encoding="utf-8").partition(heading)[0]
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(entry.strip() for line in lines for entry in line.split(";") if entry.strip())


@cache
def listed_by_word() -> dict[str, tuple[str, ...]]:
    """Return the listed names by their first word (or sign), the longest first."""
    return _by_word(listed())


@cache
def lowered() -> dict[str, tuple[str, str]]:
    """Return listed names that are known in lower case too, by that form: the name as it is written and its type."""
    common = words("lower_case_words")
    found: dict[str, tuple[str, str]] = {}
    for name, kind in listed().items():
        lower = name.casefold()
        if kind in _LOWERED_TYPES and lower != name and len(lower) > 2 and lower not in common:
            found.setdefault(lower, (name, kind))
    return found


@cache
def lowered_by_word() -> dict[str, tuple[str, ...]]:
    """Return the keys of `lowered` by their first word, the longest first."""
    return _by_word(lowered())


@lru_cache(maxsize=16384)
def first_word(text: str) -> str:
    """Return the word or the sign that `text` starts with, as the indices of listed names are keyed."""
    match = _WORD.match(text)
    return match[0] if match else ""


@cache
def given_names() -> dict[str, str]:
    """Return the known given names with f, m or u for either."""
    rows = (line.split() for line in _lines("given_names"))
    return {name: row[0] for row in rows for name in row[1:]}


def _by_word(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        found.setdefault(first_word(name), []).append(name)
    return {word: tuple(entries) for word, entries in found.items()}


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
