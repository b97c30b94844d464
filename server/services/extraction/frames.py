"""Frames: what a verb and its unnamed object say together of a name that follows: "holds a degree from", "signed a deal with".

Where no frame fits, a name after an unnamed object is that object's business and makes no edge.
"""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import predicates, vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.kinds import Trust
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import main_verb, topmost

DEGREES = vocabulary.wordset(
    "degree phd ph.d ph.d. doctorate dphil mba msc m.sc. bsc b.sc. ba b.a. ma m.a. bachelor master masters diploma thesis dissertation "
    "b.s. m.s. bs ms mfa m.f.a. bfa b.f.a. md m.d. jd j.d. llb ll.b. ll.b llm ll.m. ll.m mphil m.phil. ed.d. b.sc m.sc m.eng. b.eng. "
    "b.a m.a m.a.r. b.ed. m.ed. m.div. m.arch. "
    "studies education training qualification certificate scholarship postdoc"
)
_STUDYING = vocabulary.wordset("study read teach learn research major")
_EARNING = vocabulary.wordset(
    "hold earn receive complete obtain get do take finish gain have pursue defend start begin write acquire make"
)
_GIVING = vocabulary.wordset(
    "sell supply transfer donate license lease award deliver ship port migrate move rename submit contribute export cede dedicate"
)
_HANDING = vocabulary.wordset("give send present introduce add hand return bring attribute")
_BUYING = vocabulary.wordset("buy acquire purchase license inherit borrow import")
_TAKING = _BUYING | vocabulary.wordset("receive win take get derive separate split remove extract obtain conquer")
_DEALING = vocabulary.wordset(
    "deal agreement contract partnership treaty pact collaboration cooperation alliance merger venture memorandum accord truce"
)
_PLACED = vocabulary.wordset("locate base headquarter situate live reside")
_STAYING_PUT = _PLACED | vocabulary.wordset("bear die raise settle bury grow")
_SETTLEMENTS = vocabulary.wordset(
    "village town city district suburb parish hamlet province region county island municipality neighborhood neighbourhood borough"
)
_HOMES = vocabulary.wordset("home house residence hospital estate apartment hospice nursing")
_SUPPORTING = vocabulary.wordset("add gain offer provide have include introduce bring get ship feature")
_BUYING_NOUNS = vocabulary.wordset("acquisition purchase takeover buyout")
_STRIKING = vocabulary.wordset(
    "sign make have reach enter strike announce form negotiate conclude agree close win secure seal ink complete finalise finalize cut establish"
)
_HIRES = frozenset({"signing", "capture"})
_FINISHING = vocabulary.wordset("complete close finish finalise finalize make conclude")
SHOWN = frozenset({"role", "work", "performance", "portrayal", "appearance", "part"})
_COMPETING = frozenset({"compete", "participate"})
_ACTING = vocabulary.wordset("play perform compete act appear race drive fight coach train")
PURPOSES = vocabulary.wordset(
    "alternative successor predecessor tool library framework plugin extension client wrapper replacement sequel prequel port package "
    "compiler driver server module adapter interface heir rival competitor companion answer home supplier sponsor contributor committer adviser "
    "advisor"
)
_PARTICLES = frozenset({"in", "out", "up", "off", "down", "over"})
_VERSIONS = frozenset({"version", "release", "edition", "beta", "prototype", "generation"})
_SEATS = vocabulary.wordset("headquarters headquarter seat")
_MAKING_PART = frozenset({"form", "become", "remain", "elect", "appoint", "name", "make", "invest"})
_PARTS = vocabulary.wordset("part member")


def mediated_type(scene: Scene, complement: Complement, member: Member) -> str | None:
    """Return the type of edge to a name that hangs on an unnamed noun of the clause, or none."""
    noun, preposition, lemma = complement.noun, complement.preposition, scene.clause.lemma
    if noun is None:
        return None
    bare = not any(not one.preposition for one in scene.clause.complements)
    if noun.lower_ == "top" and noun.head.lower_ == "on" and preposition == "of" and bare:  # "built on top of"
        return verb_type(scene, "on")
    if preposition == "from" and lemma == "graduate":
        return verb_type(scene, "from")  # "graduated with honors from"
    if preposition in {"at", "from"}:
        noun = topmost(noun)  # "a degree in physics from"
        earned = next((one for one in scene.clause.verb.children if one.dep_ == "dobj" and one.i < noun.i), None)
        if earned is not None and earned.lemma_.lower() in DEGREES and noun.dep_ == "pobj" and noun.head.lower_ == "in":
            noun = earned
    if lemma == "know" and scene.clause.passive and noun.lemma_ in SHOWN and member.type == "work":
        return "KNOWN_FOR"  # "is known for her role in"
    if lemma in _COMPETING and preposition in {"at", "in"} and member.type == "event":
        return verb_type(scene, "in")  # "competed in the sprint at the 2016 Games"
    if preposition == "of" and lemma in {"sit", "serve"} and (noun.lemma_ == "board" or _is_board(noun)):
        return "BOARD_MEMBER_OF"
    if noun.dep_ == "pobj" and noun.head.lower_ == "as" and noun.head.head == scene.clause.verb:
        return _acting_as(scene, complement, noun, member)
    if complement.is_own or noun.lemma_.lower() in DEGREES:
        return beside_object_type(scene, complement, noun)
    return verb_type(scene, "in") if member.type == "place" and _is_there(lemma, preposition, noun) else None


def _is_board(noun: Token) -> bool:
    """Tell whether the noun is in "the board of directors of"."""
    return noun.lemma_ in {"director", "trustee", "governor"} and noun.head.head.lemma_ == "board"


def _is_there(lemma: str, preposition: str, noun: Token) -> bool:
    """Tell whether a place after a noun is where the verb puts somebody: "died at her home in Boston", "born in the village of"."""
    word = noun.lemma_.lower()
    if preposition == "of":
        return (
            lemma in _STAYING_PUT
            and word in _SETTLEMENTS
            and noun.dep_ == "pobj"
            and noun.head.lower_ in {"in", "at", "near"}
        )
    homes = lemma == "die" and word in _HOMES
    return preposition == "in" and (lemma in _PLACED or homes)


def may_be_kin(member: Member) -> bool:
    """Tell whether somebody's son or wife can be that of `member`: of a person, or of a name that nothing is known of."""
    ranked = member.name.split()[0].lower() in vocabulary.TITLES
    return member.type == "person" or (member.trust <= Trust.RECOGNISER and not ranked)


def _acting_as(scene: Scene, complement: Complement, noun: Token, member: Member) -> str | None:
    """Return the type of edge to a name after what somebody or something is or acts as: "plays as a midfielder for"."""
    lemma, preposition, word = scene.clause.lemma, complement.preposition, noun.lemma_.lower()
    if word in vocabulary.KIN and preposition in {"of", "to"} and may_be_kin(member):
        return predicates.upper_snake(word, "of")
    bare = scene.clause.passive or not any(not one.preposition for one in scene.clause.complements)
    if word in PURPOSES and preposition in {"for", "to"} and bare:
        return predicates.upper_snake(word, preposition)
    if lemma == "serve" and preposition == "in" and member.type == "organization" and bare:
        return verb_type(scene, "in")  # "served as a captain in the Navy"
    by = preposition == "by" and scene.clause.passive
    return verb_type(scene, preposition) if by or (lemma in _ACTING and preposition in {"for", "at"}) else None


def beside_object_type(scene: Scene, complement: Complement, thing: Token) -> str | None:
    """Return the type of edge to a name that follows the verb's object `thing` and a preposition, or none."""
    preposition, lemma = complement.preposition, scene.clause.lemma
    named = scene.reading.member(thing) is not None
    if thing.lemma_ == "right" and preposition == "to":
        return None  # "sold the rights to Widget"
    carried = (
        ((lemma in _GIVING or (lemma in _HANDING and named)) and preposition == "to")
        or (lemma in _TAKING and preposition == "from" and (named or lemma in _BUYING))
        or (lemma == "play" and preposition == "for")
        or (lemma in _STUDYING and preposition in {"at", "under", "with"})
        or (lemma == "replace" and preposition in {"with", "by"})
    )
    if carried or (scene.clause.passive and complement.noun is None):
        return verb_type(scene, preposition)
    return _framed(scene, preposition, thing)


def _framed(scene: Scene, preposition: str, thing: Token) -> str | None:
    """Return what a verb with one of a few objects says of a name after a preposition."""
    lemma, word = scene.clause.lemma, _word(scene, thing)
    if preposition == "of" and word in _HIRES and lemma in _FINISHING | {"announce", "confirm", "secure"}:
        return "SIGNED"
    if preposition == "with" and word in _DEALING and lemma in _STRIKING:
        return verb_type(scene, "with")
    if preposition == "from" and word in DEGREES and any(child.lower_ == "honorary" for child in thing.children):
        return predicates.upper_snake("honorary", word, "from")  # "an honorary doctorate from" is no study
    studied = word in DEGREES or (word == "study" and thing.tag_ == "NNS")
    if preposition in {"at", "from"} and studied and lemma in _EARNING and scene.subject.type == "person":
        return "STUDIED_AT"
    if preposition == "of" and word in _VERSIONS and thing.dep_ == "dobj":
        return verb_type(scene, "")
    if preposition == "to" and lemma == "give" and word == "birth":
        return "MOTHER_OF"
    if (
        preposition in {"in", "at"}
        and lemma == "take"
        and word == "place"
        and scene.subject.type not in {"place", "person"}
    ):
        return "LOCATED_IN"
    if preposition in {"in", "at"} and lemma in {"have", "maintain"} and word in _SEATS:
        return "HEADQUARTERED_IN"
    if preposition == "for" and lemma in _SUPPORTING and word == "support":
        return "SUPPORTS"
    if preposition in {"to", "of"} and lemma in _SUPPORTING and word in {"access", "use", "usage"}:
        return verb_type(scene, "")
    if preposition == "of" and lemma in _FINISHING and word in _BUYING_NOUNS:
        return "ACQUIRED"
    if preposition == "of" and lemma in _MAKING_PART and word in _PARTS:
        return predicates.upper_snake(word, "of")
    return None


def _word(scene: Scene, noun: Token) -> str:
    """Return the noun's lemma; the text's own word where the parser has seen another in its place."""
    return (scene.reading.text([noun]) if scene.reading.member(noun) else noun.lemma_).lower()


def _is_particle(child: Token, verb: Token) -> bool:
    """Tell whether a word belongs to its verb: "stepped in for", whatever the parser calls it."""
    adverb = child.dep_ == "advmod" and child.lower_ in _PARTICLES and child.i == verb.i + 1
    return child.dep_ == "prt" or adverb


def particle_of(verb: Token) -> str:
    """Return the particle of a verb, empty if it has none."""
    return next((child.lower_ for child in verb.children if _is_particle(child, verb)), "")


def verb_type(scene: Scene, preposition: str) -> str:
    """Return the type that the clause's verb makes with a preposition, its particle included: GREW_UP_IN."""
    clause = scene.clause
    if clause.lemma == "pass" and any(child.lower_ == "away" for child in clause.verb.children):
        return predicates.upper_snake("died", preposition)
    particle = particle_of(clause.verb)
    lasting = clause.verb.tag_ == "VBG" and main_verb(clause.verb).tag_ not in {"VBD", "VBN"}
    return predicates.relationship_type(
        clause.lemma,
        clause.verb.lower_,
        "VBZ" if lasting else clause.verb.tag_,
        passive=clause.passive,
        preposition=preposition,
        particle=particle,
    )
