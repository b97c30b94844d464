"""Cast: who and what a document has named so far, and which of them a name, a surname or a short form stands for.

One Cast lives for one extraction. Members that earlier chunks named come in as known; they are listed again only where this chunk
names them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from server.services.extraction import vocabulary
from server.services.extraction.kinds import Trust
from server.services.extraction.protocol import ExtractedEntity, KnownName, Span

_BY_TITLE = {
    **dict.fromkeys(
        ("princess", "queen", "lady", "duchess", "countess", "empress", "dame", "infanta", "landgravine"), "f"
    ),
    **dict.fromkeys(("prince", "king", "lord", "duke", "emperor", "landgrave", "margrave", "sultan", "pope"), "m"),
}
"""The gender that a title tells which belongs to a name."""


@dataclass(slots=True, eq=False)
class Member:
    """One entity of the document. `spans` holds its mentions in this chunk."""

    key: str
    name: str
    type: str
    trust: Trust
    aliases: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    quote: str = ""
    sex: str = ""

    def learn(self, kind: str, trust: Trust) -> None:
        """Take a better founded type in place of a guess; what was first stated stays."""
        if trust > self.trust:
            self.type, self.trust = kind, trust

    def call(self, alias: str) -> None:
        """Add another name, unless it is known or the same but for case."""
        if all(alias.casefold() != known.casefold() for known in (self.name, *self.aliases)):
            self.aliases.append(alias)

    @property
    def gender(self) -> str:
        """f, m, or u where the given name does not tell."""
        if self.type != "person":
            return "n"
        first = self.name.split()[0]
        if self.sex:
            return self.sex
        return _BY_TITLE.get(first.lower()) or vocabulary.given_names().get(first, "u")


class Cast:
    """The members of one document, in the order in which they were first named."""

    def __init__(self, known: Iterable[KnownName] = ()) -> None:
        self._members = [Member(one.key, one.name, one.type, Trust.CUE, list(one.aliases)) for one in known]
        self.known = list(self._members)
        self._long: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self.plans = any(_is_plan(member.name) for member in self._members)
        """Whether the document is about plans, so that "Enterprise" alone is one."""

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members)

    @property
    def familiar(self) -> frozenset[str]:
        """Every name and alias so far, case-folded."""
        return frozenset(name.casefold() for member in self._members for name in (member.name, *member.aliases))

    def find(self, text: str) -> Member | None:
        """Return the member that `text` names in full, by alias, by surname or given name, or by a plan's or company's short form."""
        wanted = normal(text)
        if not wanted:
            return None
        for member in reversed(self._members):
            if wanted in {normal(name) for name in (member.name, *member.aliases)}:
                return member
        partial = [member for member in self._members if _is_part(wanted, member)]
        family = len(partial) > 1 and all(one.type == "person" and _surname(one) == wanted for one in partial)
        if family:  # whom the text is about needs no more than the surname: who is named most, else who came first
            return max(partial, key=lambda one: len(one.spans))
        return partial[-1] if partial else None

    def equate(self, name: str, alias: str) -> None:
        """Note that the text gives `alias` as another form of `name`, wherever either stands."""
        known = self.find(name) or self.find(alias)
        if known is not None:
            known.call(name)
            known.call(alias)
        else:
            self._long[normal(alias)] = name
            self._long[normal(name)] = name
            self._aliases[normal(name)] = alias

    def meet(self, text: str, kind: str, trust: Trust, *, another: bool = False) -> Member:
        """Return the member that `text` names, a new one where nobody does; `another`: not who had its surname alone so far."""
        member = self.find(text)
        if member is not None and kind == "place" and trust >= Trust.CUE and _is_short_for(text, member):
            member = None if text not in vocabulary.given_names() else member  # Lincoln, beside Lincoln Bank
        if member is None and kind == "person" and not another:
            member = self._by_surname(text) or next((one for one in self._members if _is_longer(text, one)), None)
        if (
            member is None
            and self.plans
            and all(word.lower() in vocabulary.TIERS for word in text.split())
            and trust < Trust.LIST
        ):
            text, kind, trust = f"{text} Plan", "product", Trust.CUE
        if member is None or ((member.type == "person") != (kind == "person") and trust is Trust.STATED):
            text = self._long.get(normal(text), text)
            member = Member(self._key(text), _canonical(text), kind, trust)
            self._members.append(member)
            if normal(text) in self._aliases:
                member.call(self._aliases[normal(text)])
            if normal(member.name) != normal(text) or _is_plan(member.name):
                member.call(_short_plan(member.name))
        else:
            if kind == member.type or not _is_short_for(text, member):
                member.learn(kind, trust)
            self._fuller(member, text)
        return member

    def _by_surname(self, text: str) -> Member | None:
        """Return the member that the text has called by the surname alone so far, under its full name from now on."""
        words = text.split()
        if not 1 < len(words) < 4:
            return None
        surname = normal(words[-1])
        for member in self._members:
            guessed = member.type == "person" or member.trust <= Trust.RECOGNISER
            if normal(member.name) == surname and guessed and member not in self.known:
                member.name, member.type, member.trust = text, "person", max(member.trust, Trust.CUE)
                return member
        return None

    def entities(self, used: Mapping[str, str]) -> list[ExtractedEntity]:
        """Return the members that this chunk names, and those of the title that its claims speak of (`used`: quotes by key)."""
        known = {id(member) for member in self.known}
        listed = [one for one in self._members if one.spans or (one.key in used and id(one) not in known)]
        return [_entity(member, used.get(member.key, "")) for member in listed]

    def _fuller(self, member: Member, text: str) -> None:
        """Note another form of the name; a plan is called by its full one."""
        canonical = _canonical(text)
        if _is_plan(canonical) and not _is_plan(member.name) and member not in self.known:
            member.name, short = canonical, member.name
            member.call(short)
        elif normal(canonical) != normal(member.name) and (member.type != "person" or _is_longer(text, member)):
            member.call(canonical)

    def _key(self, text: str) -> str:
        key = base = normal(_canonical(text)) or "entity"
        count = 2
        while any(member.key == key for member in self._members):
            key, count = f"{base}#{count}", count + 1
        return key


def normal(text: str) -> str:
    """Return `text` as names are compared here: NFKC, case-folded, single spaces, no leading article, no possessive."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    if len(words) > 1 and words[0] in {"the", "a", "an"}:
        words = words[1:]
    return " ".join(words).removesuffix("'s").removesuffix("’s")


def _entity(member: Member, quote: str) -> ExtractedEntity:
    spans = tuple(sorted(set(member.spans), key=lambda span: (span.start, span.end)))
    stated = member.trust is Trust.STATED
    return ExtractedEntity(
        member.key, member.name, member.type, member.quote or quote, spans, tuple(member.aliases), stated_type=stated
    )


def _canonical(text: str) -> str:
    """Return the name as it is listed: without article, a plan's noun capitalised."""
    words = text.split()
    if len(words) > 1 and words[0].lower() in {"the", "a", "an"}:
        words = words[1:]
    if len(words) > 1 and words[-1].lower() in vocabulary.PLAN_NOUNS:
        words[-1] = words[-1].capitalize()
    return " ".join(words)


def _is_place(word: str) -> bool:
    """Tell whether a word alone means a place: "Delaware" is no short form of Delaware State University."""
    return vocabulary.listed().get(word.capitalize()) == "place"


def _is_plan(name: str) -> bool:
    words = name.split()
    return len(words) > 1 and words[-1].lower() in vocabulary.PLAN_NOUNS


def _short_plan(name: str) -> str:
    return " ".join(name.split()[:-1])


def _is_short_for(text: str, member: Member) -> bool:
    """Tell whether a word is but part of the name of somebody or something that is no place for sure."""
    names = {normal(name) for name in (member.name, *member.aliases)}
    known = member.type in {"person", "organization"} and member.trust >= Trust.CUE
    return known and normal(text) not in names


def _is_longer(text: str, member: Member) -> bool:
    """Tell whether one of two names only has the middle names that the other lacks: Aretha Louise Franklin, Aretha Franklin."""
    names = sorted((normal(text).split(), normal(member.name).split()), key=len)
    if member.type != "person" or len(names[0]) != 2 or len(names[1]) < 3 or "of" in names[1]:
        return False
    return names[0] == [names[1][0], names[1][-1]]


def _surname(person: Member) -> str:
    """Return what a person is called by; Mary of Burgundy is not called Burgundy."""
    words = normal(person.name).split()
    return words[0] if "of" in words else words[-1]


def _is_part(wanted: str, member: Member) -> bool:
    """Tell whether `wanted` is a short form that may stand for the member: never a mere substring."""
    words = normal(member.name).split()
    if len(words) < 2:
        return False
    if member.type == "person":
        return wanted in {_surname(member), words[0]} and wanted not in vocabulary.PARTICLES
    if words[-1] in vocabulary.PLAN_NOUNS:
        return wanted == " ".join(words[:-1])
    if member.type == "organization":
        core = [word for word in words if word.strip(".,") not in vocabulary.LEGAL_FORMS]
        return wanted in {
            " ".join(core).rstrip(","),
            words[0] if words[-1].strip(".") in vocabulary.ORGANIZATION_HEADS and not _is_place(words[0]) else "",
        }
    return wanted.split()[-1] in vocabulary.PLAN_NOUNS and wanted == words[0]
