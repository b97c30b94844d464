"""Nominals: what nouns say of names without a verb: "his death in 1049", "the Games in Havana", "Jane Roe, of the Institute"."""

from __future__ import annotations

from collections.abc import Mapping

from spacy.tokens import Span, Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.doubts import doubt_of
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.periods import Period
from server.services.extraction.protocol import ValueType
from server.services.extraction.quotations import quoted
from server.services.extraction.reading import Reading
from server.services.extraction.subjects import subjects
from server.services.extraction.syntax import conjuncts

_LIFE = {"death": "died", "birth": "born"}
_INSTITUTIONS = vocabulary.wordset(
    "university institute school college academy museum hospital church library laboratory observatory cathedral abbey centre center "
    "theatre theater stadium hall hotel station airport court prison zoo garden gardens clinic"
)
_ROUNDS = frozenset({"round", "funding", "investment", "financing"})
_MOVING = vocabulary.wordset(
    "sign signing buy transfer recruit hire poach loan borrow sell capture arrival acquire lure bring"
)
_BELONGING = frozenset({"of", "from", "at"})


def nominals(reading: Reading, sentence: Span, resolved: Mapping[int, Member], draft: Draft) -> None:
    """Add what the sentence's noun phrases say of the names in them."""
    cited = quoted(sentence.doc)
    for token in sentence:
        if token.i in cited:
            continue
        if token.lower_ in _LIFE:
            _life(reading, token, resolved, draft)
        if token.lemma_.lower() in _WINS | _LOSSES:
            _result(token, resolved, draft)
        if token.lower_ == "led" and token.dep_ == "acl" and token.head.lemma_.lower() in _ROUNDS:
            _round(token, resolved, draft)
        member = reading.member(token)
        if member is not None:
            _place(reading, token, member, draft)
            _belonging(reading, token, member, draft)
            _origin(reading, token, member, draft)
            _possession(reading, token, member, resolved, draft)


def _life(reading: Reading, noun: Token, resolved: Mapping[int, Member], draft: Draft) -> None:
    """ "The death of Ada in 1852" and "her death in 1852" say when she died."""
    when = next((one for child in noun.children if (one := _date(reading, child)) is not None), None)
    holders = [child for child in noun.children if child.dep_ == "poss"]
    holders += [one for child in noun.children if child.lower_ == "of" for one in child.children if one.dep_ == "pobj"]
    member = next((resolved[one.i] for one in holders if one.i in resolved), None)
    if when is None or when.value is None or member is None or (member.type != "person" and member.trust > Trust.CUE):
        return
    word = _LIFE[noun.lower_]
    draft.state(
        member,
        f"{word} {when.word} {when.text}",
        "date",
        word.upper(),
        value=when.value,
        value_type=ValueType.DATE,
        importance=0.6,
        when=when,
        event=True,
    )


def _round(led: Token, resolved: Mapping[int, Member], draft: Draft) -> None:
    """ "Acme raised $5 million in a round led by Accel": Accel invested in Acme."""
    verb = next((one for one in led.ancestors if one.pos_ == "VERB"), None)
    if verb is None or verb.lemma_ not in {"raise", "secure", "close"} or doubt_of(verb):
        return
    agents = [one for child in led.children if child.lower_ == "by" for one in child.children]
    for subject in subjects(verb):
        for leader in (name for one in agents for name in conjuncts(one)):
            if subject.i in resolved and leader.i in resolved:
                draft.relate(resolved[leader.i], "INVESTED_IN", resolved[subject.i])


def _date(reading: Reading, preposition: Token) -> Period | None:
    if preposition.lower_ not in {"in", "on"}:
        return None
    return next((one for child in preposition.children if (one := reading.period(child)) is not None), None)


def _place(reading: Reading, token: Token, member: Member, draft: Draft) -> None:
    """ "The 1991 Games in Havana" were there; so is a museum, but a company that somebody works for "in Oslo" need not be."""
    fixed = member.type == "event" or (
        member.type in {"organization", "place"} and any(word.lower() in _INSTITUTIONS for word in member.name.split())
    )
    after = _after(reading, token, frozenset({"in"}))
    bare = token.i + 2 < len(token.doc) and token.nbor(2).lower_ != "the"
    if fixed and after is not None and after.type == "place" and (bare or after.trust >= Trust.LIST):
        draft.relate(member, "LOCATED_IN", after)


def _belonging(reading: Reading, token: Token, member: Member, draft: Draft) -> None:
    """ "Jane Roe, of the Institute" works there; without a comma only where the list or the name says that it is an organization."""
    if member.type != "person" or len(member.name.split()) < 2 or token.i + 2 >= len(token.doc):
        return
    comma = token.nbor(1).text == ","
    if token.nbor(1).lower_ == "at" and not _is_at(token, token.nbor(1).head):
        return  # "the shooting of Bo Roe at", "met Bo Roe at"
    if token.nbor(1).lower_ == "from" and any(one.lemma_.lower() in _MOVING for one in token.ancestors):
        return  # "signed Bo Roe from Acme"
    after = _after(reading, token.nbor(1) if comma else token, frozenset({"of"}) if comma else _BELONGING)
    if after is not None and after.type == "organization" and after.trust >= Trust.CUE:
        draft.relate(member, "MEMBER_OF" if vocabulary.is_dynasty(after.name) else "WORKS_AT", after)


def _is_at(person: Token, head: Token) -> bool:
    """Tell whether an "at" that hangs on `head` says where a person is, not where something was done; whose study it is works there."""
    agent = person.dep_ == "pobj" and person.head.lower_ == "by"
    return head == person or agent or (person.dep_ == "appos" and person.head == head)


def _possession(reading: Reading, token: Token, member: Member, resolved: Mapping[int, Member], draft: Draft) -> None:
    """ "Sam Shepard's True West" is by him."""
    owner = next((resolved[child.i] for child in token.children if child.dep_ == "poss" and child.i in resolved), None)
    if member.type == "work" and owner is not None and owner.type == "person":
        draft.relate(member, "CREATED_BY", owner)
    full = member.type == "person" and len(member.name.split()) > 1 and member.trust > Trust.SHAPE
    full = full and token.i > 1 and token.nbor(-1).lower_ in {"'s", "’s"}
    if full and owner is not None and owner.type == "organization":
        draft.relate(member, "WORKS_AT", owner)


_WINS = frozenset({"victory", "win", "triumph"})
_LOSSES = frozenset({"loss", "defeat"})


def _result(noun: Token, resolved: Mapping[int, Member], draft: Draft) -> None:
    """ "Ada Roe's victory over Bea Lind": she defeated her; a loss to somebody is told the other way round."""
    owner = next((child for child in noun.children if child.dep_ == "poss" and child.i in resolved), None)
    word = noun.lemma_.lower()
    prepositions = {"over", "against"} if word in _WINS else {"to", "by"}
    beaten = [
        one for child in noun.children if child.lower_ in prepositions for one in child.children if one.dep_ == "pobj"
    ]
    if owner is None or not beaten or beaten[0].i not in resolved:
        return
    kind = "DEFEATED" if word in _WINS else "LOST_TO"
    draft.relate(resolved[owner.i], kind, resolved[beaten[0].i])


_BACKING = {"backed": "BACKS", "owned": "OWNS", "led": "LEADS", "controlled": "CONTROLS"}
_ORIGINS = {"born": "BORN_IN", "based": "BASED_IN", "headquartered": "HEADQUARTERED_IN"}


def _origin(reading: Reading, token: Token, member: Member, draft: Draft) -> None:
    """ "The Oslo-born painter Ada Roe" was born there; "Bergen-based Acme" is there; "Iran-backed Hezbollah" is backed."""
    bound = token.doc[token.i + 1 : token.i + 3]
    if (
        len(bound) < 2
        or bound[0].text != "-"
        or bound[1].lower_ not in _ORIGINS | _BACKING
        or bound[1].i + 1 >= len(token.doc)
    ):
        return
    noun = bound[1].head
    nouns = (
        bound[1].nbor(1),
        noun,
        *noun.doc[noun.i + 1 : noun.i + 2],
        *(child for child in noun.children if child.dep_ == "appos"),
    )
    named = next((of for one in nouns if one.i > bound[1].i and (of := reading.member(one)) is not None), None)
    if named is None or named is member:
        return
    if bound[1].lower_ in _BACKING:
        draft.relate(member, _BACKING[bound[1].lower_], named)
    elif member.type == "place":
        draft.relate(named, _ORIGINS[bound[1].lower_], member)


def _after(reading: Reading, token: Token, prepositions: frozenset[str]) -> Member | None:
    """Return whom the words right after the token name, past a preposition and an article."""
    rest = [one for one in token.doc[token.i + 1 : token.i + 4] if one.lower_ not in {"the", "its"}]
    if len(rest) < 2 or rest[0].lower_ not in prepositions:
        return None
    return reading.member(rest[1])
