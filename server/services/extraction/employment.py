"""Employment: who worked where, as what, from when until when."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.predicates import upper_snake
from server.services.extraction.sentence import Scene

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
    }
)
_STARTING = frozenset({"join", "rejoin", "become", "appoint", "hire", "name", "promote", "start"})
_DOING = frozenset({"lead", "manage", "run", "head", "build", "design", "develop", "oversee", "direct", "research"})
_JOINING = frozenset({"join", "rejoin"})
_AT = frozenset({"at", "for", "with", "by", "of", "in", "from"})
_ROLES = vocabulary.words("roles")


def employment(scene: Scene, draft: Draft) -> None:
    """A person who works, serves or joins WORKS_AT the organization; the role is a fact with the same dates."""
    lemma = scene.clause.lemma
    if scene.subject.type != "person" or lemma not in _WORKING | _JOINING | _DOING:
        return
    roles = [role for role in scene.clause.complements if _is_role(scene, role)]
    employers = [(place, member) for place, member in scene.named() if _is_employer(scene, place, member, bool(roles))]
    for place, member in employers:
        member.learn("organization", Trust.STATED)
        scene.use(place.token)
        role = roles[0] if roles else None
        described = scene.phrase(role.token) if role else None
        draft.relate(scene.subject, "WORKS_AT", member, scene.when, described, event=lemma in _STARTING)
    if lemma in {"be", "become"} and not employers and not _is_titled(scene, roles):
        return
    for role in roles:
        _state_role(scene, draft, role, employers)


def _state_role(scene: Scene, draft: Draft, role: Complement, employers: list[tuple[Complement, Member]]) -> None:
    words = [scene.phrase(role.token)]
    for place, member in employers:
        preposition = place.preposition if place.preposition in {"at", "of", "for"} and place.noun is not None else "at"
        words += [preposition, scene.reading.text([place.token]) or member.name]
    realms = [(place, member) for place, member in scene.named() if _is_realm(place, member, role)]
    for place, member in realms:
        words += [place.preposition, member.name]
        draft.relate(scene.subject, upper_snake(role.token.lemma_, place.preposition), member, scene.when)
        scene.use(place.token)
    when = scene.when
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
    return member.type == "place" and place.preposition == "of" and place.noun == role.token


def _is_titled(scene: Scene, roles: list[Complement]) -> bool:
    """Tell whether the role is a post, "head of research", not what somebody is by nature: "an English novelist"."""
    return bool(roles) and not any(child.dep_ == "det" for child in roles[0].token.children)


def _is_role(scene: Scene, complement: Complement) -> bool:
    return complement.preposition in {"", "as", "to"} and is_role(complement.token) and scene.member(complement) is None


def is_role(token: Token) -> bool:
    """Tell whether the noun is something that a person is employed as."""
    return token.lemma_.lower() in _ROLES or token.lower_ in _ROLES


def _is_employer(scene: Scene, place: Complement, member: Member, has_role: bool) -> bool:
    lemma, preposition = scene.clause.lemma, place.preposition
    if member.type in {"person", "technology", "event", "work"} or member is scene.subject:
        return False
    if lemma in _JOINING:
        return not preposition
    if (
        (member.type == "place" and member.trust > Trust.RECOGNISER)
        or preposition == "in"
        or (member.type == "place" and preposition not in {"at", "for"})
    ):
        return False
    if lemma in {"work", "intern", "consult"} and preposition in {"at", "for"}:
        return True
    if (place.noun is not None and is_role(place.noun)) or (place.noun is None and has_role):
        return preposition in _AT
    if lemma in _DOING and preposition == "at":
        return member.type in {"organization", "concept"}
    return lemma in {"serve", "teach", "employ", "hire"} and preposition in {"at", "for", "by"}
