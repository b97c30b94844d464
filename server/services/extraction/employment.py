"""Employment: who worked where, as what, from when until when."""

from __future__ import annotations

from dataclasses import replace

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.periods import Period
from server.services.extraction.predicates import upper_snake
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import is_name, topmost, whole

_WORKING = frozenset(
    {
        "work",
        "serve",
        "intern",
        "employ",
        "hire",
        "appoint",
        "start",
        "act",
        "consult",
        "teach",
        "be",
        "become",
        "remain",
        "name",
        "promote",
        "lead",
        "elect",
    }
)
_STAYING = frozenset({"take", "continue", "return", "rejoin", "sign", "stay", "come", "succeed", "replace"})
_SPENDING = frozenset({"begin", "start", "spend"})
"""What somebody does with a career or with years somewhere."""
_LEARNED = frozenset({"professor", "lecturer", "teacher", "scholar", "student", "fellow"})
_SPENT = vocabulary.wordset("career year month decade week")
_STAFFS = vocabulary.wordset("faculty staff team board")
"""Who belongs to an organization: "joined the faculty of"."""
_LEAVING = vocabulary.wordset("step stand resign retire leave quit depart")
"""What somebody does "as" what they were until then."""
_STARTING = frozenset(
    {
        "join",
        "rejoin",
        "take",
        "return",
        "become",
        "appoint",
        "hire",
        "name",
        "promote",
        "start",
        "elect",
        "succeed",
        "replace",
    }
)
_DOING = frozenset({"lead", "manage", "run", "head", "build", "design", "develop", "oversee", "direct", "research"})
_JOINING = frozenset({"join", "rejoin"})
_AT = frozenset({"at", "for", "with", "by", "of", "in", "from"})
_ROLES = vocabulary.words("roles")
FOUNDERS = frozenset({"founder", "co-founder", "cofounder"})
_FORMER = frozenset(
    {"former", "formerly", "ex", "ex-", "previous", "past", "onetime", "erstwhile", "retired", "sometime"}
)
_ARTISTS = vocabulary.wordset(
    "singer musician composer author writer novelist poet actor actress painter player goalkeeper translator"
)
"""Who is one of something without being employed there."""
_BELONGING = vocabulary.wordset(
    "fellow student resident trustee patron chair maintainer contributor moderator lead approver reviewer organizer"
)
"""Who is "of" an organization that hardly employs them."""
_STAFF = vocabulary.wordset(
    "engineer developer scientist researcher professor lecturer executive designer analyst employee manager editor reporter journalist "
    "columnist correspondent ceo cto cfo scholar fellow programmer architect"
)
"""Whom an organization's name before the role employs: "a former Microsoft engineer"."""
_OF_SCHOOLS = vocabulary.wordset("university college school academy seminary gymnasium")
_APPOINTING = frozenset({"appoint", "hire", "name", "promote", "elect", "recruit"})
_EARLIER = frozenset({"formerly", "previously", "once", "earlier"})
_POSTS = vocabulary.wordset(
    "ceo cto cfo coo cio cmo vp president chair chairman chairwoman chairperson director head dean rector principal secretary treasurer "
    "minister governor mayor captain coach manager lead leader maintainer"
)
DISCIPLINES = vocabulary.wordset(
    "engineering marketing sales product products research design operations finance growth data security people communications staff content "
    "ai infrastructure legal management resources relations affairs hr it technology development education science analytics platform strategy"
)
"""What a post may be of without its being an organization: "VP of Engineering"."""
_UNIONS = vocabulary.wordset(
    "party army navy force forces corps guard band club fc union church order league bolsheviks nato resistance movement team squad "
    "organisation organization association front regiment brigade battalion society"
)


def employment(scene: Scene, draft: Draft) -> None:
    """A person who works, serves or joins WORKS_AT the organization; the role is a fact with the same dates."""
    lemma = scene.clause.lemma
    if lemma in _APPOINTING and not scene.clause.passive:
        _appoint(scene, draft)
        return
    if scene.subject.type != "person" or lemma not in _WORKING | _JOINING | _DOING | _STAYING | _LEAVING | _SPENDING:
        return
    if lemma in _SPENDING and not _is_spent(scene):
        return
    roles = [role for role in scene.clause.complements if _is_role(scene, role)]
    if lemma in _STAYING | _LEAVING:
        roles = [role for role in roles if role.preposition == "as"]
        if not roles:
            return
    scene.use(*(place.token for place, _ in scene.named() if _is_field(scene, place)))
    employers = [(place, member) for place, member in scene.named() if _is_employer(scene, place, member, bool(roles))]
    for place, member in employers:
        member.learn("organization", Trust.STATED)
        scene.use(place.token)
        for kind, described in _posts(scene, _roles_at(scene, place, roles, employers), member):
            when = _span(scene.when_of(place), lemma)
            draft.relate(scene.subject, kind, member, when, described, event=lemma in _STARTING)
    if lemma in {"be", "become"} and not employers and not _is_titled(scene, roles):
        return
    for role in roles:
        _state_role(scene, draft, role, _employers_of(scene, role, employers))


def _appoint(scene: Scene, draft: Draft) -> None:
    """ "Acme appointed Ada as its CTO": the role is Ada's, and at Acme; a person who appoints is no employer."""
    if scene.subject.type == "person" and scene.subject.trust > Trust.RECOGNISER:
        return
    roles = [one for one in scene.clause.complements if is_role(one.token) and one.preposition in {"", "as", "to"}]
    chosen = [
        member
        for one, member in scene.named()
        if not one.preposition and one.token.dep_ != "compound" and member is not scene.subject
    ]
    if not roles or len(chosen) != 1 or chosen[0].type in {"place", "technology"}:
        return
    role, when = roles[0], scene.when
    chosen[0].learn("person", Trust.CUE)
    scene.subject.learn("organization", Trust.STATED)
    described = scene.phrase(role.token)
    draft.relate(chosen[0], post_type(role.token), scene.subject, when, described, event=True)
    words = f"{described} at {scene.subject.name}"
    draft.state(chosen[0], words, "experience", "HAS_ROLE", importance=0.8, when=when, event=True)
    scene.use(role.token, scene.clause.verb)


def _span(when: Period | None, lemma: str) -> Period | None:
    """Return when a post was held: who stepped down then held it until then."""
    if when is None or lemma not in _LEAVING or when.is_range:
        return when
    return replace(when, word="until", since=None, value=None, is_range=True)


def _roles_at(
    scene: Scene, place: Complement, roles: list[Complement], employers: list[tuple[Complement, Member]]
) -> list[Complement]:
    """Return the roles that are held at a place: "a partner at A and a former engineer at B" are one each."""
    return [role for role in roles if place in [one for one, _ in _employers_of(scene, role, employers)]]


def _employers_of(
    scene: Scene, role: Complement, employers: list[tuple[Complement, Member]]
) -> list[tuple[Complement, Member]]:
    """Return where a role is held; one that has a name of its own, "developer of Python", has nothing of another role's employer."""
    own = [(place, member) for place, member in employers if _held(place) == role.token]
    named = any(_held(one) == role.token and scene.member(one) is not None for one in scene.clause.complements)
    return own if named else own or _shared_with(role.token, employers)


def _shared_with(role: Token, employers: list[tuple[Complement, Member]]) -> list[tuple[Complement, Member]]:
    """Return the employers that follow a role at once: "founder and director of Acme and chair of Globex" founded but Acme."""
    after = [place for place, _ in employers if place.token.i > role.i]
    if not after:
        return employers
    first = _held(min(after, key=lambda place: place.token.i))
    return [(place, member) for place, member in employers if _held(place) == first]


def _is_over(verb: Token) -> bool:
    """Tell whether an employment is put in the past: "previously worked at", "(then employed by", "joined after working for"."""
    if verb.dep_ == "pcomp" and verb.head.lower_ in {"after", "following"}:
        return True
    adverbs = {child.lower_ for child in verb.children if child.dep_ == "advmod"}
    if adverbs & _EARLIER or ("then" in adverbs and verb.dep_ in {"parataxis", "acl", "advcl"}):
        return True
    if verb.tag_ == "VBG" and any(one.dep_ == "mark" and one.lower_ == "after" for one in verb.children):
        return True
    if verb.lemma_ in _SPENDING and verb.tag_ in {"VBD", "VBN"}:
        return True
    past = verb.tag_ == "VBD" or any(child.dep_ == "aux" and child.lower_ == "had" for child in verb.children)
    return past and any(_is_earlier(child) for child in verb.children)


def _is_earlier(child: Token) -> bool:
    """Tell whether a phrase puts its verb before a later post: "before joining", "prior to that", "before that"."""
    if child.lower_ == "prior":
        return True
    if child.dep_ == "prep" and child.lower_ == "before":
        return any(one.dep_ == "pcomp" or one.lower_ in {"that", "this"} for one in child.children)
    marked = any(one.dep_ == "mark" and one.lower_ == "before" for one in child.children)
    return child.dep_ == "advcl" and child.tag_ == "VBG" and marked


def _is_spent(scene: Scene) -> bool:
    """Tell whether the verb's object is a career or some years: "began her career as a reporter for", "spent five years at"."""
    return any(not one.preposition and one.token.lemma_.lower() in _SPENT for one in scene.clause.complements)


def _posts(scene: Scene, roles: list[Complement], employer: Member) -> list[tuple[str, str | None]]:
    """Return the kinds of edge that the roles make, each once, with the role."""
    if roles and vocabulary.is_dynasty(employer.name):
        return [(upper_snake(role.token.lemma_, "of"), None) for role in roles]
    if not roles:
        kind = "WORKED_AT" if _is_over(scene.clause.verb) else "WORKS_AT"
        if scene.clause.lemma in _JOINING:
            kind = _joining(scene, employer)
        return [(kind, None)]
    over = _is_over(scene.clause.verb)
    kinds: dict[str, str | None] = {}
    for role in roles:
        kind = post_type(role.token)
        kinds.setdefault("WORKED_AT" if over and kind == "WORKS_AT" else kind, scene.phrase(role.token))
    return list(kinds.items())


def _is_for_a_purpose(verb: Token) -> bool:
    """Tell whether somebody joins others only to do something with them: "joined Democrats to oppose the bill"."""
    return any(child.dep_ in {"xcomp", "advcl"} and child.tag_ == "VB" for child in verb.children)


def _joining(scene: Scene, employer: Member) -> str:
    """Return what joining an organization makes of somebody: a member of a board or of a union, elsewhere one who works there."""
    objects = {one.token.lemma_.lower() for one in scene.clause.complements if not one.preposition}
    if "board" in objects:
        return "BOARD_MEMBER_OF"
    union = any(word.lower() in _UNIONS for word in employer.name.split())
    return "JOINED" if union or _is_for_a_purpose(scene.clause.verb) else "WORKS_AT"


def post_type(role: Token) -> str:
    """Return the type of edge from whom has a role to where: a founder founded it, a former director worked there."""
    if role.lemma_.lower() in FOUNDERS:
        return "FOUNDED"
    if is_former(role) or (role.dep_ == "pobj" and role.head.lower_ == "as" and role.head.head.lemma_ in _LEAVING):
        return "WORKED_AT"
    word = role.lemma_.lower()
    before = {child.lower_ for child in role.children if child.dep_ == "prep"}
    voluntary = word.removeprefix("co-") in _BELONGING and before & {"of", "for"} and not _is_of_a_part(role)
    if voluntary or (word in _ARTISTS and "of" in before):
        return upper_snake(word, "of")
    return "OWNS" if word in {"owner", "co-owner"} else "WORKS_AT"


def _is_of_a_part(role: Token) -> bool:
    """Tell whether somebody is of something unnamed at the place: "chair of the joint program at Acme"."""
    parts = [one for child in role.children if child.lower_ == "of" for one in child.children if one.dep_ == "pobj"]
    return any(child.lower_ == "at" for one in parts if not is_name(one) for child in one.children)


def is_former(noun: Token) -> bool:
    """Tell whether the noun is said to be past: "former CEO", "ex-president"."""
    return any(child.i < noun.i and child.lower_ in _FORMER for child in noun.subtree) and any(
        child.lower_ in _FORMER for child in (*noun.children, *(one for up in noun.children for one in up.children))
    )


def _state_role(scene: Scene, draft: Draft, role: Complement, employers: list[tuple[Complement, Member]]) -> None:
    words = [scene.phrase(role.token)]
    for place, member in employers:
        if place.token.dep_ == "compound":
            continue  # "Microsoft engineer" names it
        preposition = place.preposition if place.preposition in {"at", "of", "for"} and place.noun is not None else "at"
        words += [preposition, scene.reading.text([place.token]) or member.name]
    realms = [(place, member) for place, member in scene.named() if _is_realm(place, member, role)]
    for place, member in realms:
        words += [place.preposition, member.name]
        started = scene.clause.lemma in _STARTING
        former = "former" if is_former(role.token) or (_is_over(scene.clause.verb) and not started) else ""
        kind = upper_snake(former, whole(role.token), place.preposition)
        draft.relate(scene.subject, kind, member, scene.when, event=started)
        scene.use(place.token)
    when = _span(scene.when, scene.clause.lemma)
    if when is not None:
        words += [*([when.word] if not when.is_range or when.word not in {"from", "between"} else []), when.text]
    draft.state(
        scene.subject,
        " ".join(words),
        "experience",
        "HAS_ROLE",
        importance=0.8,
        when=when,
        event=scene.clause.lemma in _STARTING,
    )
    scene.use(role.token, *(place.token for place, _ in employers))


def _is_realm(place: Complement, member: Member, role: Complement) -> bool:
    """Tell whether a role is held over a place: president of the United States."""
    taught = role.token.lemma_.lower() in _LEARNED and member.trust < Trust.LIST  # a professor of City Planning
    return member.type == "place" and place.preposition == "of" and place.noun == role.token and not taught


def _is_titled(scene: Scene, roles: list[Complement]) -> bool:
    """Tell whether the role is a post, "head of research", "the CEO", not what somebody is by nature: "an English novelist"."""
    articles = {child.lower_ for role in roles[:1] for child in role.token.children if child.dep_ == "det"}
    return bool(roles) and (not articles or (articles == {"the"} and roles[0].token.lemma_.lower() in _POSTS))


def _held(place: Complement) -> Token | None:
    """Return the noun that a place belongs to: in "VP of engineering at" VP, in "founder of a branch of" only the branch."""
    return topmost(place.noun) if place.noun is not None and place.preposition == "at" else place.noun


def _is_staff(noun: Token | None) -> bool:
    """Tell whether the noun is what somebody joins of an organization: "the faculty of"."""
    return noun is not None and noun.dep_ == "dobj" and noun.lemma_.lower() in _STAFFS


def _is_field(scene: Scene, place: Complement) -> bool:
    """Tell whether a post is of a name but held elsewhere: "director of Infectious Diseases at the Royal Hospital"."""
    role = place.noun
    if place.preposition != "of" or role is None or not is_role(role):
        return False
    others = (one for one in scene.clause.complements if one.preposition == "at" and one.token.i > place.token.i)
    return any(scene.member(one) is not None and (one.noun is None or topmost(one.noun) == role) for one in others)


def is_discipline(member: Member) -> bool:
    """Tell whether a name says what a post is of, "Growth Marketing", rather than where."""
    return member.trust < Trust.LIST and member.name.split()[-1].lower() in DISCIPLINES


def _is_role(scene: Scene, complement: Complement) -> bool:
    token = complement.token
    if not is_role(token) or scene.member(complement) is not None:
        return False
    return complement.preposition in {"", "as", "to"} or (token.dep_ == "conj" and _has_article(token))


def _has_article(noun: Token) -> bool:
    """Tell whether a listed noun begins anew: "a partner at Sequoia and a former engineer at Google"."""
    return any(child.dep_ == "det" and child.lower_ in {"a", "an", "the"} for child in noun.children)


def is_role(token: Token) -> bool:
    """Tell whether the noun is something that a person is employed as."""
    return token.lemma_.lower().removeprefix("co-") in _ROLES or token.lower_ in _ROLES


def _is_employer(scene: Scene, place: Complement, member: Member, has_role: bool) -> bool:
    lemma, preposition = scene.clause.lemma, place.preposition
    if is_discipline(member):
        return False
    there = member.type == "technology" and preposition == "at" and has_role  # "an engineer at VMware"
    if (member.type in {"person", "technology", "event", "work"} and not there) or member is scene.subject:
        return False
    if lemma in _JOINING:
        return not preposition or (preposition in {"of", "at"} and _is_staff(place.noun))
    if place.token.dep_ == "compound":
        head = place.token.head
        staff = head.text.islower() and head.lemma_.lower() in _STAFF
        return staff and member.type == "organization" and member.trust >= Trust.CUE and not preposition
    if preposition == "from" and (member.type != "organization" or member.trust < Trust.CUE):
        return False
    if (
        (member.type == "place" and member.trust > Trust.RECOGNISER)
        or preposition == "in"
        or (member.type == "place" and preposition not in {"at", "for"})
    ):
        return False
    if lemma in {"work", "intern", "consult"} and preposition in {"at", "for"}:
        return True
    if lemma == "be" and place.noun is None and preposition == "at":
        return member.type == "organization" or (has_role and member.trust <= Trust.RECOGNISER)
    if lemma in _SPENDING and preposition in {"at", "with"} and not has_role:
        return member.type == "organization" and not any(word.lower() in _OF_SCHOOLS for word in member.name.split())
    held = _held(place)
    taught = preposition == "of" and held is not None and held.lemma_.lower() in _LEARNED - {"fellow", "student"}
    if taught and member.trust <= Trust.RECOGNISER:
        return False  # "a teacher of Universal Sufism"
    if (held is not None and is_role(held)) or (place.noun is None and has_role):
        return preposition in _AT
    if lemma in _DOING and preposition == "at":
        return member.type in {"organization", "concept"}
    return lemma in {"serve", "teach", "employ", "hire"} and preposition in {"at", "for", "by"}
