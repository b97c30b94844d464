"""Contexts: what the words around a name say it is: "the city of X", "X, a startup", "CEO of X", "written in X", "X, Norway".

Asked only where neither a list nor a word of the name itself has said so. Looks at words and tags; the parse comes later.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary

_NOUNS = vocabulary.TYPE_NOUNS | {
    noun: kind
    for kind, nouns in {
        "organization": "band orchestra choir club team newspaper magazine broadcaster airline brewery retailer manufacturer publisher label "
        "carmaker automaker bank insurer charity nonprofit union party ministry department regulator retailer brand studio network "
        "foundation association provider maker chain consultancy cooperative fund conglomerate subsidiary supplier developer "
        "diocese corporation militia army navy college academy institution think-tank bookmaker lab laboratory operator",
        "place": "commune municipality district province county capital suburb neighborhood neighbourhood settlement hamlet mountain lake "
        "valley peninsula continent street bay port prefecture territory parish township borough castle cathedral bridge building museum "
        "stadium airport station park square cemetery palace community desert sea canal volcano peak",
        "technology": "marketplace site website portal wiki distribution environment utility module algorithm compiler "
        "library framework language database editor format protocol standard runtime specification codec "
        "toolkit orm kernel shell plugin plug-in api sdk linter parser debugger browser engine server client microcontroller "
        "processor chip chipset interpreter cli broker proxy distro distribution tool technology package",
        "product": "smartphone phone laptop tablet camera car vehicle aircraft drone console app suite service vaccine drug headset watch "
        "rifle tank missile",
        "person": "footballer player cyclist swimmer boxer actor actress singer songwriter rapper musician composer painter sculptor "
        "poet novelist playwright journalist broadcaster politician lawyer judge diplomat bishop priest nun monk saint king queen emperor "
        "princess prince duke noblewoman nobleman physician nurse surgeon chemist biologist historian philosopher economist engineer "
        "developer designer founder entrepreneur businessman businesswoman businessperson chef coach manager captain officer soldier general admiral "
        "sprinter shooter wrestler golfer swimmer skier racer driver astronaut model dancer choreographer producer "
        "guitarist drummer bassist pianist violinist cellist saxophonist presenter prosecutor detective inspector campaigner comedian superstar "
        "striker midfielder defender winger goalkeeper substitute insider tycoon billionaire lawmaker congressman congresswoman jockey "
        "referee umpire skipper "
        "screenwriter filmmaker photographer illustrator architect activist teacher professor student researcher son daughter wife husband "
        "brother sister father mother widow cousin nephew niece uncle aunt grandson granddaughter friend colleague resident native",
        "work": "film movie novel book album song single series sitcom documentary musical opera symphony poem play painting "
        "sculpture ballad drama comedy thriller videogame soundtrack sequel episode mixtape memoir biography anthology comic manga essay",
        "event": "war battle festival conference tournament championship competition ceremony siege treaty uprising earthquake "
        "hurricane election",
    }.items()
    for noun in nouns.split()
}
_PHRASES = (
    (
        "place",
        "born based living live lives lived located situated lies lie raised headquartered died buried settled residing reside resides held staying "
        "founded established formed filmed shot killed elected exhibited grown "
        "stayed opened opening office offices campus hospital village town city region suburb district outskirts north south east west up arrived",
        "in at near",
    ),
    (
        "place",
        "moved moves move moving relocated relocating travelled traveled travels flew emigrated returned exiled visit trip road",
        "to",
    ),
    (
        "place",
        "capital north south east west city town village state province region island kingdom port duchy county outskirts suburb",
        "of",
    ),
    (
        "place",
        "duke dukes count counts countess duchess earl earls king kings queen queens prince princes princess baron barons baroness margrave lord "
        "lords lady bishop bishops archbishop elector electors constable landgrave emperor empress marquess viscount governor mayor palatine",
        "of",
    ),
    (
        "organization",
        "experience work works worked working job employed hired position engineer manager lead",
        "at for by",
    ),
    (
        "organization",
        "acquired bought owned funded released published produced distributed manufactured backed run",
        "by",
    ),
    (
        "organization",
        "ceo cto cfo coo president chairman chairwoman chair founder co-founder cofounder director head employee employees executive "
        "spokesman spokeswoman spokesperson shares subsidiary unit division investor investors customers board member members",
        "of at for",
    ),
    ("organization", "signed plays play played playing", "for with"),
    (
        "organization",
        "study studied studies taught teaches lectured professor student educated enrolled fellow lecturer degree graduate phd",
        "at from",
    ),
    ("organization", "graduated", "from"),
    ("organization", "alumnus alumni", "of"),
    ("organization", "invested stake shares", "in"),
    ("organization", "partnered partnership", "with"),
    ("technology", "written write writes wrote implemented coded programming built", "in"),
    ("technology", "built runs run running based deployed deploy deploys", "on with"),
    ("technology", "migrated migrate migrates migrating switched switching ported compiled compiles", "to from"),
    ("technology", "support alternative", "for to"),
    ("technology", "compatible integrates integrated interoperates", "with"),
    ("technology", "powered", "by"),
    ("technology", "fork version", "of"),
    ("feature", "ships shipped comes", "with"),
    (
        "person",
        "directed written composed painted created designed sung narrated edited founded invented authored",
        "by",
    ),
    (
        "organization",
        "back defender midfielder striker goalkeeper forward winger pitcher quarterback footballer debut captain",
        "for",
    ),
)
_BEFORE = {
    f"{word} {link}": kind for kind, words, links in _PHRASES for word in words.split() for link in links.split()
} | {
    word: kind
    for kind, words in {
        "place": "northern southern eastern western central downtown rural throughout across near outside visited visits",
        "organization": "joined joins acquired acquires founded co-founded attended",
        "technology": "uses using run adopted supports implements install installs installed via",
        "feature": "includes include including adds add offers introduces introduced added provides",
        "work": "wrote directed composed painted",
        "person": "starring stars starred signed",
    }.items()
    for word in words.split()
}
"""What a name is after one word, or after a word and a preposition."""
_TECHNICAL = re.compile(
    r"\b(?:code|api|database|server|servers|client|library|framework|software|cluster|compiler|python|kernel|deployment|protocol|query|queries|cache|runtime|"
    r"backend|frontend|endpoints?|pipelines?|app|apps|data|container|containers|microservices?|plugin|config|repo|devices?|sdk|release[sd]?|versions?)\b",
    re.IGNORECASE,
)
_LIVES = frozenset(
    vocabulary.wordset(
        "said says told tells wrote writes married died graduated resigned retired studied lives lived speaks sang starred played plays "
        "thinks thought believes argued explained asked replied laughed smiled walked recalls recalled attended enrolled teaches taught grew"
    )
)
_TRADES = vocabulary.wordset(
    "employs acquired acquires announced unveiled recalled manufactures merged sells hired launched released operates"
)
_APPLYING = vocabulary.wordset("uses using run runs install installs installed")
_COMMERCIAL = re.compile(r"\b(?:[Pp]lans?|[Tt]iers?|subscriptions?|pricing|add-ons?|billing|free trial)\b")
_OF_PERSONS = vocabulary.wordset(
    "research work works theory paper papers book books career life wife husband father mother son daughter brother sister family statement death "
    "birth leadership presidency reign voice role performance debut novel novels films childhood parents children friend friends lawyer resignation"
)
_PERSONAL = vocabulary.wordset(
    "wrote married died graduated retired thought believed smiled laughed studied argued recalled grew"
)
_COPULAS = frozenset({"is", "was", "are", "were", "became", "becomes", "remains"})
_AFTER_KIND = {
    "technology": vocabulary.wordset(
        "library framework protocol api sdk cluster clusters server servers plugin database query queries runtime compiler "
        "container containers driver drivers client cli code script scripts bindings devices standard"
    ),
    "organization": vocabulary.wordset(
        "employees spokesman spokeswoman spokesperson shares ceo executives customers engineers shareholders headquarters stock"
    ),
    "place": vocabulary.wordset("residents native region area province county suburb"),
    "person": vocabulary.wordset("family"),
    "work": vocabulary.wordset("soundtrack trailer"),
}
_LATE = frozenset(
    {
        "that",
        "which",
        "who",
        "whose",
        "where",
        "when",
        "in",
        "of",
        "for",
        "by",
        "with",
        "on",
        "at",
        "from",
        "to",
        "and",
        "but",
        ",",
        ".",
        ";",
        "(",
        "as",
        "used",
        "based",
    }
)


def kind_by_context(doc: Doc, first: int, last: int) -> str | None:
    """Return what the words around doc[first:last] say it is, or None where they say nothing."""
    return (
        _by_noun_before(doc, first)
        or kind_by_definition(doc, last)
        or _by_place_after(doc, first, last)
        or _by_words_before(doc, first, last)
        or _by_word_after(doc, first, last)
    )


def kind_of_noun(noun: str) -> str | None:
    """Return what a lower-case noun says that something is: "film" a work, "rivers" a place."""
    return _NOUNS.get(noun) or _NOUNS.get(noun.removesuffix("s"))


def _by_noun_before(doc: Doc, first: int) -> str | None:
    """Read "the startup X", "the novel X", "footballer X"."""
    noun = doc[first - 1] if first else None
    if noun is None or not noun.text.islower() or not noun.tag_.startswith("NN") or noun.tag_ == "NNS":
        return None
    return _NOUNS.get(noun.text)


def kind_by_definition(doc: Doc, last: int) -> str | None:
    """Return what the words from doc[last] on define a name as: "X is a city in", "X, a Dutch retailer,", "X and Y are protocols".

    The noun that ends the first noun phrase says it.
    """
    index = last
    if index < len(doc) and doc[index].text == "(":
        index = next((one + 1 for one in range(index, min(index + 25, len(doc))) if doc[one].text == ")"), index)
    if index + 2 >= len(doc):
        return None
    if doc[index].text == "and" and index + 3 < len(doc) and doc[index + 1].text[:1].isupper():
        index += 2
    if doc[index].text == "," and doc[index + 1].lower_ in {"a", "an", "the"}:
        start = index + 2
    elif doc[index].lower_ in _COPULAS:
        start = index + 1
        if doc[start].lower_ in {"also", "now", "still", "currently"}:
            start += 1
    else:
        return None
    noun = None
    for token in doc[start : start + 12]:
        if token.lower_ in _LATE and noun is not None:
            break
        if token.tag_.startswith("VB") and token.tag_ not in {"VBN", "VBG"}:
            if doc[index].text == "," and noun is not None and noun.i == token.i - 1:
                return None  # "directed by Ada Roe, the film stars"
            break
        if token.text.islower() and token.tag_.startswith("NN"):
            noun = token
        elif token.lower_ in _LATE and token.text != ",":
            break
    if noun is None:
        return None
    if noun.text in {"one", "part", "member", "kind", "type", "name"}:
        return None
    return kind_of_noun(noun.text)


def _by_place_after(doc: Doc, first: int, last: int) -> str | None:
    """Read "X, Norway": a place within a listed one; who has two names is in no town: "Bo Roe, Oslo"."""
    if last + 1 < len(doc) and doc[last].text == ",":
        after = doc[last + 1]
        names = vocabulary.listed_by_word().get(vocabulary.first_word(after.text), ())
        text = doc[last + 1 : last + 8].text
        name = next((one for one in names if text.startswith(one)), None)
        person = last - first > 1 and all(token.ent_type_ == "PERSON" for token in doc[first:last])
        if name is not None and vocabulary.listed()[name] == "place" and (not person or name in vocabulary.regions()):
            return None if re.match(r",? (?:and|or|&) ", text[len(name) :]) else "place"
    return None


def _by_words_before(doc: Doc, first: int, last: int) -> str | None:
    end = _list_start(doc, first)
    if end < first and doc[first - 1].text == "," and last < len(doc) and doc[last].tag_ in {"VBZ", "VBD"}:
        return None  # "Based in Oslo, Acme makes" lists no places
    end = end - 1 if end and doc[end - 1].lower_ == "the" else end
    if end == 0:
        return None
    word = doc[end - 1].lower_
    if end == first and word in {"'s", "’s"} and end > 1:
        return _by_owner(doc[end - 2], doc[first])
    if word == "from" and _goes_to_place(doc, last):
        return "place"
    if word == "to" and end > 2 and doc[end - 3].text == "from":
        return vocabulary.listed().get(doc[end - 2].text)  # from Evernote to Obsidian
    if word in {"and", "or"} or (word == "," and last < len(doc) and doc[last].text in {",", "and", "or"}):
        return _by_neighbour(doc, end - 2, first, last)
    kind = (_BEFORE.get(f"{doc[end - 2].lower_} {word}") if end > 1 else None) or _BEFORE.get(word)
    label = doc[first].ent_type_
    if kind == "organization" and label == "PERSON" and last - first > 1:
        return None
    if (
        kind == "feature"
        and (label in {"PERSON", "GPE"} or (label == "ORG" and end != first))
        and not is_technical(doc)
    ):
        return None
    if kind == "technology" and label in {"PERSON", "GPE", "ORG"} and not is_technical(doc):
        alone = last - first == 1 and doc[first].text not in vocabulary.given_names()
        return kind if alone and word in _APPLYING else None
    return kind


def _list_start(doc: Doc, first: int) -> int:
    """Return where the list begins that the name goes on with: of "includes A, B and C" all three are included."""
    index = first
    while index > 1 and first - index < 24:
        before = doc[index - 1]
        joins = before.text in {",", "and", "or", "&"} and (
            doc[index - 2].text[0].isupper() or doc[index - 2].text == ","
        )
        if not joins and not (index < first and before.text[0].isupper()):
            break
        index -= 1
    return index if index < first and doc[index].text[0].isupper() else first


def _by_owner(owner: Token, name: Token) -> str | None:
    """Read "Acme's Rocket Skates" and "Sam Shepard's True West"."""
    if name.tag_ == "NNPS":
        return None  # "Cameron's Conservatives"
    if owner.ent_type_ == "PERSON" and name.ent_type_ not in {"PERSON", "GPE", "ORG"}:
        return "work"
    sold = owner.ent_type_ == "ORG" or vocabulary.listed().get(owner.text) == "organization"
    return "product" if sold and name.ent_type_ not in {"GPE", "WORK_OF_ART"} else None


def is_technical(doc: Doc) -> bool:
    """Tell whether the text speaks of software or devices."""

    def find() -> bool:
        listed = vocabulary.listed()
        return _TECHNICAL.search(doc.text) is not None or any(listed.get(token.text) == "technology" for token in doc)

    return language.remembered(doc, is_technical, find)


def is_commercial(doc: Doc) -> bool:
    """Tell whether the text speaks of what a plan contains, where plain capitalised words are products: Workers, Pages."""
    return language.remembered(doc, is_commercial, lambda: _COMMERCIAL.search(doc.text) is not None)


def _by_neighbour(doc: Doc, before: int, first: int, last: int) -> str | None:
    """Take the type of the listed name that stands before in the same list: "Zalando and Trivago"."""
    personal = doc[first].ent_type_ == "PERSON" and last - first > 1
    known = vocabulary.listed().get(doc[before].text) if before >= 0 else None
    return None if personal or doc[first].text in vocabulary.given_names() else known


def names_kind_after(doc: Doc, index: int) -> str | None:
    """Return the kind that a noun after a name says, with one word between at most: "the Raft consensus algorithm"."""
    for token in doc[index : index + 2]:
        if not token.text.islower() or not token.tag_.startswith("NN"):
            return None
        kind = kind_of_noun(token.text)
        if kind in {"technology", "product"}:
            return kind
    return None


def _goes_to_place(doc: Doc, last: int) -> bool:
    """Tell whether "to" and a listed place follow: "from Tangier to China"."""
    after = doc[last + 1].text if last + 1 < len(doc) and doc[last].text == "to" else ""
    return vocabulary.listed().get(after) == "place"


def _by_word_after(doc: Doc, first: int, last: int) -> str | None:
    after = doc[last] if last < len(doc) else None
    if after is None:
        return None
    for kind, nouns in _AFTER_KIND.items():
        if after.lower_ in nouns:
            return kind
    if after.text in {"'s", "’s", "'", "’"} and last + 1 < len(doc) and doc[last + 1].lower_ in _OF_PERSONS:
        return "person"
    if first and doc[first - 1].lower_ == "the" and (kind_after := names_kind_after(doc, last)) is not None:
        return kind_after
    following = doc[last + 1].text if last + 1 < len(doc) else ""
    if after.text in {"was", "were"} and following == "born":
        return "person"
    named = doc[first].ent_type_ == "PERSON" and (last - first > 1 or doc[first].text in vocabulary.given_names())
    if not named and (after.text in _TRADES or (after.text == "raised" and following in {"$", "€", "£"})):
        return "organization"
    if after.lower_ in _PERSONAL and last - first < 3 and doc[first - 1].lower_ != "the":
        return "person"
    if after.lower_ in _LIVES and doc[first].ent_type_ not in {"ORG", "GPE"} and doc[first - 1].lower_ != "the":
        return "person"
    return None
