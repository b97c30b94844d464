"""Relations: a verb between two named entities is an edge, and the better known kinds of edge have rules of their own."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import predicates, vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.certainty import marks_of
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.employment import FOUNDERS, is_former, is_role
from server.services.extraction.frames import (
    DEGREES,
    PURPOSES,
    SHOWN,
    beside_object_type,
    may_be_kin,
    mediated_type,
    particle_of,
    verb_type,
)
from server.services.extraction.kinds import Trust
from server.services.extraction.reach import is_one_of_many, is_out_of_reach, is_place_by_pronoun
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import PERSON, is_name, whole

_POSTED = frozenset({"be", "become", "serve", "work", "act", "elect", "appoint"})
_HUMAN = frozenset({"graduate", "reside", "marry", "wed", "enroll", "volunteer", "emigrate"})
_EARNED = frozenset({"receive", "earn", "hold", "complete", "obtain", "have", "do"})
_MAKING = vocabulary.wordset(
    "build develop write program code implement work ship design create run deploy maintain engineer architect automate migrate model "
    "train analyze analyse train rewrite prototype"
)
_TOOLS = frozenset({"with", "in", "using", "on"})
_RUNNING = frozenset({"build", "run", "deploy", "develop", "ship", "train", "migrate"})
"""What is done on a technology, not about it: "deployed it on Kubernetes", but "wrote on Kubernetes"."""
_KNOWING = frozenset({"use", "know", "master", "program", "code", "speak", "write", "learn"})
_ABLE = frozenset({"proficient", "experienced", "skilled", "fluent", "expert", "versed", "certified"})
_NO_EDGE = vocabulary.wordset(
    "spell nickname want wish expect plan consider hope await say tell think be have do feel look seem call name mean note remark argue comment "
    "explain observe remember go come make take give put get let"
)
_PLACE_VERBS = frozenset({"bear", "live", "reside", "locate", "base", "headquarter", "die", "move", "situate"})
_HUMANS = vocabulary.wordset(
    "member native graduate alumnus alumna descendant follower pioneer supporter winner recipient citizen resident survivor veteran ruler "
    "heir heiress victim pupil disciple successor predecessor rival opponent ally one"
)
_GIVING = frozenset({"award", "give", "grant", "present"})
_STAYING = frozenset({"live", "reside", "dwell"})
_QUITTING = frozenset({"quit", "resign", "retire", "step", "leave"})
_ASIDE = frozenset({"behind", "ahead", "away", "absent", "second", "third", "fourth"})
_STAYING_SO = frozenset({"remain", "stay", "become", "grow", "seem", "appear", "feel"})
"""Verbs that say of somebody what an adjective after them says."""
_WHERE = frozenset({"in", "at", "near", "on", "with", "under", "among", "outside"})
_PUBLISHING = frozenset({"publish", "release", "issue", "premiere"})
_APART = vocabulary.wordset(
    "workshop conference meetup meeting course class community team group user developer adopter contributor maintainer committer fan expert "
    "book article talk tutorial blog podcast training certification event summit day world ecosystem job position programmer engineer"
)
"""What a technology's name may stand before without being what the verb is about: "attended a Python workshop"."""
_PARTICIPIAL = frozenset(
    {"follow", "include", "accord", "concern", "regard", "speak", "judge", "assume"}
)  # prepositions in a verb's clothes
_MEASURES = vocabulary.wordset("mile kilometer kilometre km mi metre meter minute hour block away far")
_PROVISIONS = frozenset({"usage", "use", "access", "support", "integration", "compatibility"})
_CHILDREN = frozenset({"child", "son", "daughter", "kid", "twin"})
_DERIVED = frozenset({"base", "adapt", "derive", "set", "locate"})
_LYING = frozenset({"place", "organization", "concept"})
_GUIDING = frozenset({"supervise", "mentor", "tutor", "advise", "raise", "educate"})
_UNLED = frozenset({"organization", "place"})
_FILMING = frozenset({"direct", "film", "write"})
_UNFILMED = frozenset({"person", "organization", "place"})
"""What is not directed or written by anybody: in "a series for Acme, directed by Ada" that is the series."""
_COMPANY_VERBS = vocabulary.wordset("sell employ launch offer manufacture acquire hire operate supply ship announce")
_EMPTY = frozenset(
    {"as", "like", "than", "per", "despite", "because", "since", "until", "before", "after", "during", "about", "of"}
)


def bereaved(scene: Scene, draft: Draft) -> None:
    """ "Ada is survived by a daughter, Ann": whose daughter she is; "her husband, Bob" is read as an apposition."""
    if scene.clause.lemma != "survive" or not scene.clause.passive or scene.subject.type != "person":
        return
    for complement, member in scene.named():
        kin = complement.token
        while kin.dep_ in {"conj", "appos"} and kin.lemma_.lower() not in vocabulary.KIN:
            kin = kin.head
        if complement.preposition != "by" or kin.lemma_.lower() not in vocabulary.KIN:
            continue
        if any(child.dep_ == "poss" for child in kin.children):
            continue
        member.learn("person", Trust.CUE)
        draft.relate(member, predicates.upper_snake(whole(kin), "of"), scene.subject)


def types(scene: Scene, _: Draft) -> None:
    """What a subject does tells what it may be, where only the recogniser has guessed: who sells and employs is an organization."""
    lemma, passive = scene.clause.lemma, scene.clause.passive
    if scene.subject.trust <= Trust.RECOGNISER and scene.subject.type != "person" and _is_human(scene):
        scene.subject.learn("person", Trust.CUE)
    founded = (passive and lemma in {"found", "co"}) or (scene.clause.verb.lower_ in {"based", "headquartered"})
    if scene.subject.name.split()[0] in vocabulary.given_names() or scene.subject.trust > Trust.RECOGNISER:
        return
    if founded or (lemma in _COMPANY_VERBS and not passive):
        scene.subject.learn("organization", Trust.CUE)


def _is_human(scene: Scene) -> bool:
    """Tell whether only a person does or is what the clause says: to graduate, to earn a degree, to serve as a chairman."""
    lemma, passive = scene.clause.lemma, scene.clause.passive
    for one in scene.clause.complements:
        word = one.token.lemma_.lower()
        if lemma in _POSTED and one.preposition in {"", "as"} and is_role(one.token) and scene.member(one) is None:
            return one.preposition == "as" or lemma != "be" or _has_article(one.token)
        if lemma in _EARNED and not one.preposition and word in DEGREES:
            return True
    return (lemma in _HUMAN and not passive) or (passive and lemma == "bear")


def _has_article(noun: Token) -> bool:
    return any(child.dep_ == "det" and child.lower_ in {"a", "an", "the"} for child in noun.children)


def skills(scene: Scene, draft: Draft) -> None:
    """A person who builds something with a technology, uses it or is proficient in it HAS_SKILL."""
    if scene.subject.type != "person":
        return
    for complement, member in scene.named():
        if member.type == "technology" and _shows_skill(scene, complement, member):
            draft.relate(scene.subject, "HAS_SKILL", member)
            scene.use(complement.token)


def _shows_skill(scene: Scene, complement: Complement, member: Member) -> bool:
    lemma = scene.clause.lemma
    if complement.adjective is not None:
        return complement.adjective.lemma_.lower() in _ABLE
    if complement.preposition:
        return (
            lemma in _MAKING
            and complement.preposition in _TOOLS
            and (complement.preposition != "on" or lemma in _RUNNING)
            and (lemma != "work" or member.trust >= Trust.LIST)  # "worked with Steel Panther"
        )
    written = lemma == "write" and scene.clause.verb.tag_ in {"VBD", "VBN"}
    if _is_means(scene.clause.verb):
        return False
    return lemma in _KNOWING and (not written or member.trust >= Trust.LIST)  # "wrote The West Wing"


def _is_means(verb: Token) -> bool:
    """Tell whether "by using" tells how something is done that builds nothing: "broke the rules by using Signal"."""
    return verb.dep_ == "pcomp" and verb.head.lower_ == "by" and verb.head.head.lemma_.lower() not in _MAKING


def edges(scene: Scene, draft: Draft) -> None:
    """Any verb between two named entities makes an edge from the one to the other; who did it is the source, passive or not."""
    clause = scene.clause
    if is_place_by_pronoun(scene) or any(is_one_of_many(scene.reading, token) for token in clause.subjects):
        return
    for complement, member in list(scene.named()):
        if is_one_of_many(scene.reading, complement.token):
            continue
        kind = None if member is scene.subject else _edge_type(scene, complement, member)
        if kind is None or is_out_of_reach(clause, complement):
            continue
        if (maker := _maker_before(scene, complement)) is not None and member.type == "place":
            draft.relate(maker, "IS_FROM", member)
            scene.told.add(complement.token.i)
            continue
        _learn(scene, complement, member)
        source, target = scene.subject, member
        if clause.lemma in _FILMING and clause.passive and source.type in _UNFILMED and source.trust > Trust.RECOGNISER:
            continue
        if complement.preposition == "by":
            done = complement.adjective or clause.verb
            kind, inverted = predicates.agent_type(
                done.lemma_.lower(), kind, done.lower_, present=_is_present(clause.verb), particle=particle_of(done)
            )
            source, target = (member, scene.subject) if inverted else (source, target)
        marks = 0 if draft.witness is None else marks_of(draft.witness, scene, complement)
        when, event = scene.when_of(complement), predicates.is_event(clause.lemma)
        draft.relate(source, kind, target, when, event=event, marks=marks)
        partial = complement.preposition or complement.token.dep_ == "compound"
        (scene.told if partial else scene.used).add(complement.token.i)


def _maker_before(scene: Scene, complement: Complement) -> Member | None:
    """Return who a place after "from" is the home of: "was founded by Ada Roe from Oslo"."""
    preposition = complement.token.head
    maker = preposition.nbor(-1) if preposition.i and complement.preposition == "from" else None
    if maker is None or not scene.clause.passive or maker.dep_ != "pobj" or maker.head.lower_ != "by":
        return None
    member = scene.reading.member(maker)
    return member if member is not None and member.type == "person" else None


def _is_present(verb: Token) -> bool:
    """Tell whether a passive is in the present: "is owned by"."""
    return any(child.dep_ == "auxpass" and child.tag_ in {"VBZ", "VBP"} for child in verb.children)


_TOPICAL = frozenset({"on", "over", "about"})
_TALKING = frozenset(
    {"meet", "talk", "speak", "confer", "consult", "agree", "negotiate", "brief", "vote", "testify", "clash"}
)
"""Verbs behind which a place after "on" is what is talked of."""


def _edge_type(scene: Scene, complement: Complement, member: Member) -> str | None:
    clause, preposition = scene.clause, complement.preposition
    if clause.lemma == "do":
        return None  # "did a version of"
    if complement.adjective is not None:
        direct = _hangs_on(complement.token, complement.adjective)
        if complement.adjective.lower_ == "known":
            shown = complement.noun is not None and complement.noun.lemma_ in SHOWN and member.type == "work"
            return "KNOWN_FOR" if shown or (direct and complement.preposition == "for") else None
        return predicates.upper_snake(complement.adjective.text, preposition) if direct else None
    if clause.lemma == "be":
        return _being(scene, complement, member)
    if clause.passive and clause.lemma == "create" and scene.subject.type == "person":
        return None  # "was created Baroness by"
    if clause.lemma in _GUIDING and preposition == "by" and member.type == "person" and scene.subject.type in _UNLED:
        return None  # "his doctorate at Ash University, advised by Ada Roe"
    if clause.lemma in _STAYING_SO and (word := _predicative(clause.verb)) is not None:
        beside = complement.noun is None and any(one.lower_ == preposition for one in word.doc[word.i + 1 : word.i + 2])
        return predicates.upper_snake(word.text, preposition) if beside else None
    if complement.noun is not None:
        return mediated_type(scene, complement, member)
    if complement.token.dep_ == "compound" and not _stands_for(complement.token.head, member):
        return None
    if not preposition and clause.lemma == "have" and _listed_under(complement.token).lemma_.lower() in _CHILDREN:
        return "PARENT_OF" if scene.subject.type in {"person", "concept"} and member.type != "organization" else None
    if _is_stray(scene, complement, member) or (preposition == "by" and _is_derived(scene, complement)):
        return None
    if (
        preposition == "for"
        and complement.token.i + 1 < len(complement.token.doc)
        and complement.token.nbor(1).lower_ == "to"
    ):
        return None  # "arranged for Ada to meet"
    if preposition == "on" and member.name.endswith((" Day", " Eve")):
        return None  # a date
    if preposition in _TOPICAL and member.type == "place" and clause.lemma in _TALKING:
        return None  # "the two met on Syria"
    if preposition == "with" and (_is_set_off(complement.token) or _is_elsewhere(complement.token)):
        return None  # "Ada left, with Bea in tears", "Ada won with Bea just behind"
    if preposition in _EMPTY or (preposition == "by" and clause.verb.tag_ not in {"VBN", "VBD"}):
        return None
    if preposition == "by" and not clause.passive and clause.verb.tag_ != "VBN":
        return None  # "performed in works by"
    if preposition and (thing := _plain_object(scene)) is not None:
        return beside_object_type(scene, complement, thing)
    moves = clause.lemma in {"go", "come"} and preposition in {"to", "from", "into"}
    if not (clause.lemma.isalpha() and clause.lemma.isascii()):
        return None  # "it's", a word of another language
    if clause.lemma in _NO_EDGE and not moves and not any(child.dep_ == "prt" for child in clause.verb.children):
        return None
    if clause.verb.tag_ == "VBG" and clause.lemma in _PARTICIPIAL:
        return None
    return _own_type(scene, complement, member)


def _predicative(verb: Token) -> Token | None:
    """Return the adjective that says how somebody remains: "remains keen on"."""
    return next((child for child in verb.children if child.dep_ == "acomp" and child.pos_ == "ADJ"), None)


def _own_type(scene: Scene, complement: Complement, member: Member) -> str | None:
    """Return the type that the verb itself makes with a name; a few verbs say less, or something else, than their form."""
    clause, preposition = scene.clause, complement.preposition
    person = scene.subject.type == "person"
    if clause.lemma in {"become", "remain"} and not preposition:
        if member.type not in {"organization", "place", "product"}:
            return None  # "became Infante", a title
    elif clause.lemma == "nominate" and preposition not in {"for", "by", "at", ""}:
        return None
    elif clause.lemma in {"serve", "act"} and preposition in {"to", "for"} and (role := _served_as(scene)) is not None:
        return predicates.upper_snake(role.lemma_, preposition)  # "served as a delegate to"
    elif clause.lemma in _QUITTING and preposition in {"to", "for"} and _served_as(scene) is not None:
        return None  # "quit as secretary to"
    elif clause.passive and not preposition:
        given = clause.lemma in _GIVING and complement.token.dep_ in {"dobj", "oprd", "conj"}
        return "RECEIVED" if given else None
    elif clause.lemma in _STAYING and preposition not in _WHERE:
        return "IS_FROM" if preposition == "from" and member.type == "place" and person else None
    elif clause.passive and person and clause.lemma in _PUBLISHING:
        return None  # "an author known for a book, first published in France"
    return verb_type(scene, preposition)


def _is_somebody(noun: Token) -> bool:
    """Tell whether the noun says what a person is."""
    word = noun.lemma_.lower()
    return word in _HUMANS or word in vocabulary.KIN or word in vocabulary.TITLES or is_role(noun)


def _served_as(scene: Scene) -> Token | None:
    """Return what somebody serves as."""
    nouns = (one.token for one in scene.clause.complements if one.preposition == "as" and one.noun is None)
    return next((noun for noun in nouns if scene.reading.member(noun) is None), None)


def _stands_for(noun: Token, member: Member) -> bool:
    """Tell whether what is done to a noun is done to the name before it: "styles HTML elements", "includes Okta usage"."""
    if any(child.dep_ == "poss" for child in noun.children) or noun.lemma_.lower() in _APART:
        return False
    provided = noun.lemma_.lower() in _PROVISIONS and member.type in {"product", "concept", "organization"}
    return member.type in {"technology", "feature"} or provided


def _is_relative(complement: Complement, noun: Token, member: Member) -> bool:
    """Tell whether somebody may be whose son a son is: "the son of Ada of Hesse" is none of Hesse's."""
    token = complement.token
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    own = token.dep_ != "pobj" or not is_name(token.head.head)
    return own and may_be_kin(member)


def _is_set_off(token: Token) -> bool:
    """Tell whether a comma stands before the preposition of a list's first name."""
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    return token.dep_ == "pobj" and token.head.i > 0 and token.head.nbor(-1).text == ","


def _is_distant(token: Token) -> bool:
    """Tell whether a measure stands before the preposition of a list's first name: "is 6 miles from Oslo"."""
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    return token.head.i > 0 and token.head.nbor(-1).lemma_.lower() in _MEASURES


def _is_elsewhere(name: Token) -> bool:
    """Tell whether the words after a name say where it was meanwhile: "with Bea just behind"."""
    after = [
        token for token in name.doc[name.i + 1 : name.i + 3] if token.lower_ not in {"just", "close", "only", "far"}
    ]
    return bool(after) and after[0].lower_ in _ASIDE


def _hangs_on(token: Token, head: Token) -> bool:
    """Tell whether the token, or the list that it is in, follows a preposition right on `head`."""
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    return token.head.head == head


def _is_stray(scene: Scene, complement: Complement, member: Member) -> bool:
    """Tell whether a person or place stands in a list of unnamed things, where the parser has but guessed: "scored 41 goals, David Roe"."""
    token = complement.token
    if token.dep_ == "conj" and _goes_on_inside(token):
        return True
    if _is_of_next(token):
        return True
    if member.type not in {"person", "place"}:
        return False
    if _comes_second(token):
        return True
    while token.dep_ in {"conj", "appos"} and token.head.pos_ in {"NOUN", "PROPN", "NUM"}:
        unnamed = scene.reading.member(token.head) is None
        if unnamed and (token.dep_ == "conj" or token.head.tag_ == "NNS"):  # "left five sons, Peter"
            return True
        token = token.head
    return False


def _is_of_next(name: Token) -> bool:
    """Tell whether a name only says whose the person behind it is, two objects to the parser: "beat Norway captain Ada Roe"."""
    beside = [child for child in name.head.children if child.dep_ == "dobj" and child.i > name.i]
    person = next((child for child in beside if child.text == PERSON), None)
    if name.dep_ != "dobj" or name.text == PERSON or person is None:
        return False
    return not any(token.is_punct or token.dep_ in {"cc", "prep", "det"} for token in name.doc[name.i + 1 : person.i])


def _comes_second(name: Token) -> bool:
    """Tell whether a verb has its object already, words of which the parser has made another: "drives the ball past guard Ada"."""
    if name.dep_ != "dobj":
        return False
    before = (child for child in name.head.children if child.dep_ == "dobj" and child.i < name.i)
    return any(token.dep_ == "prep" for child in before for token in name.doc[child.i : name.i])


def _goes_on_inside(name: Token) -> bool:
    """Tell whether a name goes on a list behind a preposition, whatever it hangs on: "did work at Acme (2015) and Globex (2019)"."""
    above = name.head
    objects = [child for child in above.children if child.dep_ == "dobj"]
    if is_name(above) or any(is_name(one) for one in objects):
        return False  # "won the Ash Prize at the festival, and the Elm Prize"
    inner = (one for child in above.children if child.dep_ == "prep" and child.i < name.i for one in child.children)
    return any(one.dep_ == "pobj" and one.text == name.text for one in inner)


def _listed_under(token: Token) -> Token:
    """Return the noun that a list of names explains: "two daughters, Lise and Anna"."""
    while token.dep_ in {"conj", "appos"} and token.head.pos_ in {"NOUN", "PROPN"}:
        token = token.head
    return token


def _is_derived(scene: Scene, complement: Complement) -> bool:
    """Tell whether "by" tells who made the source: "based on the novel by"."""
    before = [one for one in scene.clause.complements if one.preposition and one.token.i < complement.token.i]
    return scene.clause.lemma in _DERIVED and any(one.preposition != "by" for one in before)


def _plain_object(scene: Scene) -> Token | None:
    """Return the verb's object, or the set phrase in its place, if any; a date is none."""
    return next(
        (
            one.token
            for one in scene.clause.complements
            if not one.preposition and one.adjective is None and scene.reading.period(one.token) is None
        ),
        None,
    )


def _being(scene: Scene, complement: Complement, member: Member) -> str | None:
    """Return the type that "is the capital of" makes; a bare "is in" says where something is."""
    noun, preposition = complement.noun, complement.preposition
    if noun is None:
        if _plain_object(scene) is not None and (scene.subject.type not in _LYING or member.type != "place"):
            return None
        if any(child.dep_ == "acomp" for child in scene.clause.verb.children) or member.type in {
            "technology",
            "product",
        }:
            return None  # "is new in"
        if preposition == "from" and _is_distant(complement.token):
            return None
        if preposition == "in" and scene.subject.type == "person" and member.type != "place":
            return None  # "was in the Ash XI"
        past = scene.clause.verb.tag_ == "VBD" and scene.when is None
        if preposition == "in" and scene.subject.type == "person" and past:
            return None  # "was in Oslo last month" is over
        return {"in": "LOCATED_IN", "from": "IS_FROM"}.get(preposition)
    if noun.lemma_.lower() in DEGREES and preposition in {"from", "at"} and scene.subject.type == "person":
        return "STUDIED_AT" if member.type == "organization" else None  # "is a biologist with degrees from"
    if not complement.is_own or noun.lower_ == "one" or noun.pos_ == "ADJ":
        return None  # "is one of", "is the largest of"
    if noun.dep_ == "appos" and scene.subject.type == "person" and not _is_somebody(noun):
        return None  # "the ruler of Sur, a dynasty of India"
    if noun.lower_ == "lady" and noun.i and noun.nbor(-1).lower_ == "first":
        return "FIRST_LADY_OF" if preposition == "of" else None
    if preposition == "of" and noun.lemma_.lower() in FOUNDERS:
        return "FOUNDED"
    if noun.lower_ == "consort" and noun.i and noun.nbor(-1).lower_ in vocabulary.TITLES:
        return predicates.upper_snake(noun.nbor(-1).lower_, "consort", preposition)  # "Queen consort of Navarre"
    if noun.lemma_.lower() in vocabulary.KIN and not _is_relative(complement, noun, member):
        return None
    if noun.lemma_.lower() in vocabulary.TITLES and vocabulary.is_dynasty(member.name):
        return "MEMBER_OF"  # "a Duke of Ash of the House of Orange"
    former = "former" if is_former(noun) else ""
    if preposition == "of" or (preposition in {"for", "to"} and noun.lemma_.lower() in PURPOSES):
        word = scene.reading.text([noun]) if scene.reading.member(noun) else whole(noun)
        return predicates.upper_snake(former, word, preposition)
    if preposition == "by":
        return None if noun.lemma_.lower() in vocabulary.KIN or is_role(noun) else "CREATED_BY"
    if preposition == "from" and member.type == "place":
        return "IS_FROM"
    lies = preposition == "in" and scene.subject.type in _LYING and member.type in _LYING and not is_role(noun)
    return "LOCATED_IN" if lies else None


_STAFFING = frozenset({"hire", "appoint", "promote", "recruit", "poach"})


def _learn(scene: Scene, complement: Complement, member: Member) -> None:
    """Take from the grammar what kind of thing an object must be."""
    lemma, preposition = scene.clause.lemma, complement.preposition
    if lemma in {"include", "offer", "add"} and scene.subject.type == "product" and not preposition:
        member.learn("feature", Trust.CUE)
    if lemma in {"sell", "launch", "release"} and not preposition and not scene.clause.passive:
        member.learn("product", Trust.CUE)
    if lemma == "have" and _listed_under(complement.token) != complement.token:
        member.learn("person", Trust.CUE)
    if lemma in _PLACE_VERBS and preposition == "in":
        member.learn("place", Trust.CUE)
    if lemma in _STAFFING and not preposition and not scene.clause.passive:
        member.learn("person", Trust.CUE)
