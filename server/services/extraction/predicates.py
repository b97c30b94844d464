"""Predicates: the names of relationship types and of facts' categories, from a verb, its voice and its preposition.

States are named in the present (INCLUDES, WORKS_AT), events in the past (FOUNDED, STUDIED_UNDER), passives by the participle
(FOUNDED_BY), so that a text's tense does not split a type.
"""

from __future__ import annotations

import re
from functools import cache

from server.services.extraction import vocabulary

_STATES = vocabulary.wordset(
    "include require use support own contain provide offer need know depend belong run cost differ affect live reside consist extend "
    "implement integrate connect border lie love like teach lead manage speak sponsor operate rely prevent bypass avoid enable "
    "have star feature follow precede compete cooperate collaborate host cover power specialize specialise focus sit complement replace limit work "
    "represent resemble"
)
_CATEGORIES = {
    "pricing": "cost price charge sell bill",
    "feature": "include offer support provide feature contain have add cover",
    "requirement": "require need depend demand",
    "date": "launch found bear die publish release establish open close start begin introduce",
    "education": "study graduate attend enroll major",
    "experience": "work build lead manage develop design join serve write create implement maintain run ship found teach intern migrate",
}
_CATEGORY = {verb: category for category, verbs in reversed(_CATEGORIES.items()) for verb in verbs.split()}
_EVENTS = vocabulary.wordset(
    "found bear die publish release launch establish create introduce invent discover acquire buy win join marry divorce open announce start "
    "begin leave retire resign graduate sign complete finish build elect adopt merge dissolve destroy appoint direct write design develop "
    "present receive earn end defeat meet succeed award move emigrate immigrate relocate flee sell elect return convert settle name promote "
    "hire publish"
)


_DOUBLING = vocabulary.wordset(
    "refer prefer occur admit commit control patrol compel expel propel repel transfer defer confer deter submit permit transmit equip"
)
"""Verbs of more than one syllable that end in a stressed one: controlled."""
_PREFIX = re.compile(r"(?:re|over|under|out|mis|un|fore|up)-?")


def relationship_type(
    lemma: str, form: str, tag: str, *, passive: bool, preposition: str = "", particle: str = ""
) -> str:
    """Return the type of the edge that a verb makes between its subject and an object; `form` and `tag` are the verb as it stands."""
    if passive:
        verb = form if tag in {"VBN", "VBD"} else participle(lemma)
    elif lemma in _pasts():
        verb = form if form == f"{lemma}ed" else lemma  # "swam", which the tagger has taken for a verb of its own
    elif lemma in _STATES or (tag in {"VBZ", "VBP"} and lemma not in _EVENTS):
        verb = third_person(lemma)
    else:
        verb = form if tag == "VBD" else past(lemma)
    return upper_snake(verb, particle, preposition)


_PASSIVE = frozenset({"FOUNDED_BY", "CREATED_BY"})
"""The types that are named from the side of what was made; every other is named from the side of who did it."""


_FROM_THE_MADE = {
    "FOUNDED": "FOUNDED_BY",
    "FOUNDER_OF": "FOUNDED_BY",
    "CREATED": "CREATED_BY",
    "CREATOR_OF": "CREATED_BY",
}


def named_from_the_made(kind: str) -> str | None:
    """Return the type that says the same in the one direction that is kept, if `kind` is named in the other."""
    return _FROM_THE_MADE.get(kind)


def agent_type(lemma: str, kind: str, form: str, *, present: bool, particle: str = "") -> tuple[str, bool]:
    """Return the type of the edge between a passive verb's subject and its agent, and whether it leads from the agent to the subject.

    A regular participle, `form`, is the simple past as it stands: the lemmatiser takes "fined" for a form of "fin".
    """
    if kind in _PASSIVE:
        return kind, False
    simple = form if form.endswith("ed") and lemma not in _irregular() else past(lemma)
    active = third_person(lemma) if lemma in _STATES or (present and lemma not in _EVENTS) else simple
    return upper_snake(active, particle), True


def upper_snake(*words: str) -> str:
    """Return words joined as a type's name."""
    return re.sub(r"\W+", "_", " ".join(words).strip()).upper().strip("_")


def category(lemma: str, subject_type: str) -> str:
    """Return the category of a fact by its verb; a person's work is experience, a product's is not."""
    found = _CATEGORY.get(lemma, "statement")
    if subject_type == "person" and found in {"feature", "date"} and lemma not in {"bear", "die"}:
        return "experience"
    if found == "pricing" and subject_type in {"person", "organization"}:
        return "statement"
    if lemma in {"have", "feature"} and subject_type not in {"product", "feature", "technology"}:
        return "statement"
    if subject_type != "person" and found in {"experience", "education"}:
        return "statement"
    return found


def is_event(lemma: str) -> bool:
    """Tell whether the verb tells of an event, which holds from its date on."""
    return lemma in _EVENTS


def third_person(lemma: str) -> str:
    """Return the verb's form after "it"."""
    if lemma in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[lemma]
    if lemma.endswith(("s", "sh", "ch", "x", "z")):
        return lemma + "es"
    return lemma[:-1] + "ies" if re.search(r"[^aeiou]y$", lemma) else lemma + "s"


@cache
def present_forms() -> frozenset[str]:
    """Return the forms after "it" of the verbs that this module knows."""
    return frozenset(map(third_person, _STATES | _EVENTS | _CATEGORY.keys()))


@cache
def likely_forms() -> frozenset[str]:
    """Return the forms after "it" that are verbs where their sentence has no other."""
    return frozenset(map(third_person, vocabulary.words("verbs")))


def past(lemma: str) -> str:
    """Return the verb's simple past."""
    return _forms(lemma)[0]


def participle(lemma: str) -> str:
    """Return the verb's past participle."""
    return _forms(lemma)[1]


def _forms(lemma: str) -> tuple[str, str]:
    """Return simple past and past participle; "rewrite" and "overcome" go like what they are made of."""
    prefix = _PREFIX.match(lemma)
    bare = lemma[prefix.end() :] if prefix else ""
    if lemma not in _irregular() and bare in _irregular():
        return lemma[: len(lemma) - len(bare)] + _irregular()[bare][0], lemma[: len(lemma) - len(bare)] + _irregular()[
            bare
        ][1]
    regular = _regular_past(lemma)
    return _irregular().get(lemma, (regular, regular))


def _regular_past(lemma: str) -> str:
    if lemma.endswith("ied"):
        return lemma  # what the tagger has left as it stands
    if lemma.endswith("e"):
        return lemma + "d"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    doubles = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprtz]", lemma) or lemma in _DOUBLING
    return lemma + lemma[-1] + "ed" if doubles else lemma + "ed"


@cache
def _pasts() -> frozenset[str]:
    """Return the irregular pasts that no verb has for its lemma: swam, wrote, but not found."""
    return (
        frozenset(simple for simple, _ in _irregular().values())
        - _irregular().keys()
        - _STATES
        - _EVENTS
        - _CATEGORY.keys()
    )


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    return {
        lemma: (simple, part)
        for lemma, simple, part in (line.split() for line in vocabulary.phrases("irregular_verbs"))
    }
