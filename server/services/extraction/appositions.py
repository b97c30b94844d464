"""Appositions: what nouns beside a name say without a verb: "Ada Byron, CTO of Acme", "Acme's CTO Ada Byron", "Bob's sister Ada"."""

from __future__ import annotations

from collections.abc import Mapping

from spacy.tokens import Span, Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.draft import Draft
from server.services.extraction.employment import DISCIPLINES, is_discipline, is_former, is_role, post_type
from server.services.extraction.kinds import Trust
from server.services.extraction.predicates import upper_snake
from server.services.extraction.quotations import quoted
from server.services.extraction.reading import Reading
from server.services.extraction.sentence import noun_phrase
from server.services.extraction.statements import type_of
from server.services.extraction.subjects import subjects
from server.services.extraction.syntax import PERSON, SUBJECTS, called, conjuncts, is_alleged, is_name, kin_after, whole


def appositions(reading: Reading, sentence: Span, resolved: Mapping[int, Member], draft: Draft) -> None:
    """Add what the sentence's nouns say of the names beside them."""
    cited = quoted(sentence.doc)
    for token in sentence:
        member = resolved.get(token.i)
        if member is None or token.i in cited or reading.member(token) is None:
            continue
        for noun in _nouns_beside(token, reading):
            if _is_whereabouts(token) and noun.dep_ == "appos" and noun.lemma_.lower() in vocabulary.KIN:
                continue  # whose son it is comes below
            _describe(reading, member, noun, resolved, draft)
    front = _fronted(sentence, reading)
    if front is not None and front[1].i in resolved and not cited:
        _describe(reading, resolved[front[1].i], front[0], resolved, draft)
    for token in sentence:
        if token.dep_ == "appos" and token.lemma_.lower() in vocabulary.KIN and token.i not in cited:
            for child in _subjects_beyond(token, reading):
                if child.i in resolved:
                    _describe(reading, resolved[child.i], token, resolved, draft)


_SEX = {
    **dict.fromkeys(
        ("husband", "son", "father", "brother", "uncle", "nephew", "grandson", "grandfather", "actor", "king"), "m"
    ),
    **dict.fromkeys(
        ("wife", "daughter", "mother", "sister", "aunt", "niece", "granddaughter", "grandmother", "actress", "queen"),
        "f",
    ),
}
"""What a noun beside a name tells of pronouns that mean it."""


def _fronted(sentence: Span, reading: Reading) -> tuple[Token, Token] | None:
    """Return the noun that a sentence begins with and the name that it describes: "A graduate of Brown, Ada Roe began"."""
    first = sentence[0]
    if first.lower_ not in {"a", "an", "the"} or first.dep_ != "det" or reading.member(first.head) is not None:
        return None
    noun, verb = first.head, first.head.head
    if (
        noun.pos_ != "NOUN"
        or verb.pos_ not in {"VERB", "AUX"}
        or noun.dep_ not in {"nsubj", "advcl", "npadvmod", "dep", "attr", "ccomp"}
    ):
        return None
    for subject in verb.children:
        if subject.dep_ in SUBJECTS and subject.i > noun.i + 1 and subject.nbor(-1).text == ",":
            return noun, subject
    return None


def _subjects_beyond(noun: Token, reading: Reading) -> list[Token]:
    """Return whom a son or daughter is that stands beside no person: "was born in Oslo, the son of", "was a peer, the son of"."""
    head, beside = noun.head, reading.member(noun.head)
    if head.pos_ == "PRON" and head.dep_ in SUBJECTS:
        return [head]
    verb = next((one for one in noun.ancestors if one.pos_ in {"VERB", "AUX"}), None)
    placed = beside is not None and (beside.type in {"place", "organization"} or _is_whereabouts(head))
    dated = beside is None and (head.pos_ == "NUM" or reading.period(head) is not None)
    if verb is None or not (placed or dated or (beside is None and head.dep_ == "attr")):
        return []
    return subjects(verb)


def _is_whereabouts(name: Token) -> bool:
    """Tell whether a name says where something was: "was born in Bradford, the son of"."""
    return name.dep_ == "pobj" and name.head.lower_ in {"in", "at", "near"}


def _nouns_beside(name: Token, reading: Reading) -> list[Token]:
    """Return the nouns that stand for the same as the name: after a comma, or right before it."""
    after = [child for child in _set_beside(name) if reading.member(child) is None]
    before = [
        child
        for child in name.children
        if child.dep_ == "compound" and _is_right_before(child, name) and child.pos_ in {"NOUN", "PROPN"}
    ]
    above = [name.head] if name.dep_ == "appos" and reading.member(name.head) is None and name.i > name.head.i else []
    above = [
        noun
        for noun in above
        if _is_head_of(noun, name) or not any(child.lower_ == "of" and child.i < name.i for child in noun.children)
    ]
    above = [noun for noun in above if noun.tag_ in {"NNS", "NNPS"} or not _has_named(noun, name)]
    if name.dep_ == "appos" and name.head.dep_ == "pobj" and name.head.head.lower_ in {"of", "at"}:
        beyond = name.head.head.head  # "the head of Acme, Ada Roe, said"
        above += [beyond] if _is_head_of(beyond, name) else []
    return [
        noun for noun in (*after, *before, *above) if noun.pos_ in {"NOUN", "PROPN"} and reading.member(noun) is None
    ]


def _has_named(noun: Token, name: Token) -> bool:
    """Tell whether one son has his name already: "his son Bo and daughter-in-law Ada"."""
    return any(child.dep_ == "appos" and is_name(child) and child.i < name.i for child in noun.children)


def _set_beside(name: Token) -> list[Token]:
    """Return the nouns in apposition to a name; a post after a list, "Ada and Bo Roe, the coach", is its last one's."""
    first = _first_listed(name)
    found = []
    for noun in (child for head in {first, name} for child in head.children if child.dep_ == "appos"):
        edge = noun.left_edge.i
        before = noun.doc[edge - 2] if edge > 1 and noun.doc[edge - 1].text == "," else None
        listed = before is not None and before.dep_ == "conj" and is_name(before) and _first_listed(before) == first
        own = noun.head == name
        if noun.i + 1 < len(noun.doc) and is_name(noun.nbor(1)):
            continue  # "Ada Roe, Acme captain Bea Lind"
        if (before == name and (own or is_role(noun) or noun.lemma_.lower() in vocabulary.KIN)) if listed else own:
            found.append(noun)
    return found


def _first_listed(name: Token) -> Token:
    """Return the first name of the list that a name is in."""
    while name.dep_ == "conj" and is_name(name.head):
        name = name.head
    return name


def _is_head_of(noun: Token, name: Token) -> bool:
    """Tell whether the name is that of the one who heads something, set off by a comma: "the head of Acme, Ada Roe, said"."""
    definite = any(child.dep_ == "det" and child.lower_ == "the" for child in noun.children)
    return definite and name.text == PERSON and name.nbor(-1).text == "," and is_role(noun)


def _is_right_before(noun: Token, name: Token) -> bool:
    """Tell whether only a quotation mark may stand between: her film "Heatwave"."""
    between = noun.doc[noun.i + 1 : name.i]
    return noun.i < name.i and all(token.text in {'"', "“", "‘", "'", "«"} for token in between)


_LEARNED = frozenset({"scholar", "expert", "specialist", "biographer"})
"""Who is as often called after what they study as after where."""


def _describe(reading: Reading, member: Member, noun: Token, resolved: Mapping[int, Member], draft: Draft) -> None:
    word = noun.lemma_.lower()
    if word in vocabulary.KIN and not _may_be_person(member):
        return
    member.sex = member.sex or _SEX.get(word, "")
    owners = [] if is_alleged(noun) else _owners(noun, member, resolved)
    for owner_token, word_before in owners:
        owner = resolved[owner_token.i]
        if word in vocabulary.KIN:
            if not (_may_be_person(member) and _may_be_person(owner)) or (
                owner.type == "place" and len(owner.name.split()) == 1
            ):
                continue
            member.learn("person", Trust.CUE)
            owner.learn("person", Trust.CUE)
            draft.relate(member, upper_snake(whole(noun), "of"), owner)
        elif is_role(noun) and member.type in {"person", "concept"} and (kind := _office(noun, owner)) is not None:
            member.learn("person", Trust.CUE)
            draft.relate(member, kind, owner)
        elif word in _LEARNED and owner_token.dep_ == "compound" and owner.trust < Trust.CUE:
            continue  # "a Renoir scholar"
        elif word_before == "for" and word in _SPEAKING and not _is_body(owner):
            draft.relate(member, upper_snake(word, "for"), owner)
        elif word == "minister" and word_before == "of":
            continue  # of a field
        elif word in _PERFORMERS and word_before == "at" and owner.trust < Trust.LIST:
            if owner.name.lower() not in _INDUSTRIES and owner.type not in {"person", "place"}:
                draft.relate(member, "STARS_IN", owner)
        elif is_role(noun) and member.type in {"person", "concept"} and _may_employ(owner):
            member.learn("person", Trust.CUE)
            if owner.type != "place":
                owner.learn("organization", Trust.STATED)
            role = reading.text(noun_phrase(noun, reading))
            former = noun.dep_ == "compound" and is_former(noun.head)
            draft.relate(member, "WORKED_AT" if former else post_type(noun), owner, None, role)
            draft.state(member, f"{role} {word_before} {owner.name}", "experience", "HAS_ROLE", importance=0.8)
        elif word in vocabulary.CLASSES["work"] and (
            word_before == "by" or (word_before == "at" and owner.type == "person")
        ):
            member.learn("work", Trust.CUE)
            draft.relate(member, "CREATED_BY", owner)
        elif word_before == "of" and (not is_role(noun) or owner.type == "place"):
            if (word in vocabulary.TITLES and owner.type == "person") or word in _NOWHERE:
                continue
            if word in vocabulary.TITLES and not _may_be_person(member):
                continue  # "of the House of Ash and Archduke, Prince of Elm"
            if noun.pos_ == "PROPN" and word not in vocabulary.TITLES and not is_role(noun):
                continue  # "Albert the Pious of Bavaria"
            draft.relate(member, upper_snake("former" if is_former(noun) else "", word, "of"), owner)
    _define(reading, member, noun, resolved, draft)


def _define(reading: Reading, member: Member, noun: Token, resolved: Mapping[int, Member], draft: Draft) -> None:
    """Learn from a noun beside a name what kind of thing it is, and state what the whole apposition says it is."""
    kind = type_of(noun)
    above = any(child.dep_ == "appos" and resolved.get(child.i) is member for child in noun.children)
    if kind is not None and (above or noun.dep_ in {"appos", "compound"}):
        member.learn(kind, Trust.LIST if kind == "work" else Trust.CUE)  # even "the film Sarah" is no person
    determined = any(child.dep_ == "det" for child in noun.children)
    if (
        noun.dep_ == "appos"
        and determined
        and not _goes_on(reading, noun)
        and noun.i > 0
        and reading.doc[noun.left_edge.i - 1].text == ","
    ):
        words = [
            one
            for one in noun.subtree
            if not any(up.dep_ in {"relcl", "acl"} and noun.is_ancestor(up) for up in (one, *one.ancestors))
        ]
        draft.state(member, f"Is {reading.text(words)}", "definition", "IS_A", importance=0.7)


_GOVERNING = vocabulary.wordset(
    "president premier governor mayor king queen chancellor minister senator emperor sultan leader ruler dictator ambassador coach captain manager"
)
"""Who is something of a country, a region or a town: "Alaska governor Ada Roe"; others only live there: "Oslo lawyer Ada Roe"."""
_PLAYERS = vocabulary.wordset(
    "striker midfielder goalkeeper defender winger fullback quarterback pitcher linebacker cornerback substitute forward captain batsman bowler "
    "fly-half scrum-half prop lock wicketkeeper player"
)
_PERFORMERS = frozenset({"actor", "actress"})
"""Who is of what they play in, not of an employer: "the Night Shift actress Ada Roe"."""
_INDUSTRIES = frozenset({"hollywood", "bollywood", "nollywood", "broadway", "west end"})
_PUBLIC = frozenset({"police", "fire", "sheriff", "health"})
"""What departments of a town are of: a spokeswoman for the Oslo police department does not work for Oslo."""
_DIVISIONS = vocabulary.wordset("division department unit office branch section school faculty arm bureau desk board")
"""Parts of a body: who heads one works for the body."""
_RANKED = vocabulary.wordset("prime vice deputy foreign home lieutenant")
_OF_A_FIELD = frozenset({"minister", "secretary", "ambassador", "senator"})
"""Posts that have their field before them, "Foreign Minister", not an employer."""
_SEATS = frozenset(
    {"white house", "kremlin", "pentagon", "downing street", "buckingham palace", "capitol", "vatican", "scotland yard"}
)
"""Buildings that are called for who governs from them."""


_SPEAKING = vocabulary.wordset(
    "lawyer attorney barrister solicitor counsel agent publicist spokesman spokeswoman spokesperson aide adviser advisor"
)
"""Who does something for a person as well as for a company."""


def _is_body(owner: Member) -> bool:
    return owner.type not in {"person", "concept"} and owner.trust > Trust.RECOGNISER


def _office(noun: Token, owner: Member) -> str | None:
    """Return what a post over a place makes its holder, PRIME_MINISTER_OF or PLAYS_FOR, or None where it is no post over a place."""
    word = noun.lemma_.lower()
    if owner.type != "place" or _is_seat(owner):
        return None
    if word in _PLAYERS - {"captain"}:
        return "PLAYS_FOR"
    if word not in _GOVERNING:
        return None
    former = "former" if is_former(noun) or any(child.lower_ == "former" for child in noun.head.children) else ""
    first = noun.i
    while first > 0 and _says_which(noun.doc[first - 1], word):
        first -= 1
    return upper_snake(former, *(one.text for one in noun.doc[first : noun.i]), word, "of")


def _says_which(before: Token, post: str) -> bool:
    """Tell whether a word before a post belongs to its title: "prime minister", "Migration Minister"."""
    bound = before.i > 0 and before.nbor(-1).text == "-"  # "right-wing minister"
    field = post in _OF_A_FIELD and before.tag_ in {"NN", "NNP"} and not is_name(before) and not bound
    return before.lower_ in _RANKED or field


def _goes_on(reading: Reading, noun: Token) -> bool:
    """Tell whether a name follows the noun, which then is about that one: "Acme, the investment firm Good Energies, and"."""
    after = noun.doc[noun.i + 1 : noun.i + 3]
    return any(reading.member(one) for one in after[:1]) or (
        len(after) == 2 and after[0].text in {'"', "“", "‘"} and reading.member(after[1]) is not None
    )


def _may_be_person(member: Member) -> bool:
    return member.type == "person" or member.trust <= Trust.RECOGNISER


def _may_employ(owner: Member) -> bool:
    """Tell whether somebody can have a post there; a person only where the recogniser alone says so."""
    if owner.type == "person":
        return owner.trust <= Trust.RECOGNISER and len(owner.name.split()) == 1
    return owner.type != "place" or _is_seat(owner)


def _is_seat(owner: Member) -> bool:
    return owner.name.lower() in _SEATS


def _listed(first: Token, noun: Token, resolved: Mapping[int, Member]) -> list[Token]:
    """Return the names of a list after "of"; of parents also those that the parser has hung on a title: "of Ernst, Prince of X, and Ada"."""
    kin = noun.lemma_.lower() in vocabulary.KIN
    found = [one for one in conjuncts(first) if one == first or (one.text == PERSON) == (first.text == PERSON)]
    if not kin:
        return found
    beyond = [one for one in first.subtree if one.text == PERSON and one.i in resolved and one not in found]
    titled = [one for one in beyond if one.dep_ == "conj" and one.head.text != PERSON]
    after = [one for one in noun.children if one.dep_ == "appos" and one.i > first.i and one.i in resolved]
    named = [] if first.i in resolved else after[:1]  # "the son of the former governor Ada"
    end = kin_after(first)
    return [one for one in (*found, *titled, *named) if one.i < end]


_NOWHERE = vocabulary.wordset(
    "north south east west northeast northwest southeast southwest kilometer kilometre mile km"
)
"""What says how far or on which side of a place something else lies."""


def _owners(noun: Token, member: Member, resolved: Mapping[int, Member]) -> list[tuple[Token, str]]:
    """Return the named ones that the noun belongs to, each with the preposition that says so."""
    holders = [noun, *(child for child in (noun.head,) if noun.dep_ == "compound")]
    found = [(child, "at") for one in holders for child in one.children if child.dep_ == "poss"]
    beside = [child for one in holders for child in one.children if child.dep_ == "compound" and child != noun]
    if noun.lemma_.lower() in _OF_A_FIELD:
        beside = [child for child in beside if child.i in resolved and _is_seat(resolved[child.i])]
    elsewhere = any(child.dep_ == "prep" and child.lower_ == "at" and child.i > noun.i for child in noun.children)
    found += [(child, "at") for child in beside if not elsewhere]  # "Treasury strategist at Acme"
    for child in noun.children:
        if child.dep_ != "prep" or child.lower_ not in {"of", "at", "for", "by"}:
            continue
        if child.i > noun.i and child.nbor(-1).text == ",":
            continue  # "President Ada Lind, at the summit" is not its president
        for one in child.children:
            if one.dep_ != "pobj":
                continue
            one = (called(one) or one) if one.i not in resolved else one  # "editor at the research firm Acme"
            of = resolved.get(one.i)
            if one.lower_ in DISCIPLINES or (of is not None and is_discipline(of)):
                found += _owners(one, member, resolved)  # "VP of Engineering at Acme"
            elif of is None and is_role(noun) and one.lemma_.lower() in _DIVISIONS:
                if any(word.lower_ in _PUBLIC for word in one.children):
                    continue
                bodies = _owners(one, member, resolved)
                found += [(token, word) for token, word in bodies if resolved[token.i].type != "place"]
            else:
                found += [(each, child.lower_) for each in _listed(one, noun, resolved)]
    return [(token, word) for token, word in found if resolved.get(token.i) not in {None, member}]
