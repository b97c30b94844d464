"""The words that count otherwise than others when two names are compared: titles, short forms, pet names, numbers, fillers.

Plain data, folded; what follows from them is decided where names are compared.
"""

from __future__ import annotations

__all__ = ["FILLERS", "GENERATIONS", "NUMBERS", "SAME", "SMALL", "TITLES", "has_pet_names", "pet_names", "pet_root"]

SMALL = frozenset(
    "the a an of and for in on at by de del della der die das den des du la le les el los las et und y e van von zu al el "
    "и в во на с для".split()
)
"""Words that carry a name but do not tell it apart; single letters among them count so only inside a name."""

TITLES = frozenset(
    "dr prof professor sir dame lord lady mr mrs ms miss mister madam senator sen capt captain gen general col colonel lt president "
    "rev reverend fr father sister brother saint hon judge justice phd md mba msc bsc dphil esq cbe obe herr frau mme mlle m "
    "sra dott ing dipl г-н г-жа проф др".split()
)
"""Words before or after the name of a person that are not of it."""

FILLERS = frozenset(
    "group holding holdings international global worldwide company co corporation corp inc ltd llc plc gmbh club band "
    "organisation organization association lts edition language platform official".split()
)
"""Words that a name may have or not without being another's."""

GENERATIONS = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"}

NUMBERS = {
    word: value
    for value, words in enumerate(
        "zero one,first two,second three,third four,fourth five,fifth six,sixth seven,seventh eight,eighth nine,ninth ten,tenth "
        "eleven twelve".split()
    )
    for word in words.split(",")
}

_SAME = (
    "saint st sankt", "mount mt", "fort ft", "university univ uni", "international intl", "department dept", "and &",
    "limited ltd", "corporation corp", "incorporated inc", "brothers bros", "manufacturing mfg", "laboratory laboratories lab labs",
    "technology technologies tech", "ministry min", "institute inst", "association assn", "national natl", "street str",
    "committee cttee", "government govt", "junior jr", "senior sr",
)  # fmt: skip
SAME = {word: group.split()[0] for group in _SAME for word in group.split()}
"""Words with one short form, each with the one that stands for all."""

_PETS = (
    "robert bob bobby rob robbie bert", "william bill billy will willy liam", "richard dick rick ricky rich", "james jim jimmy jamie",
    "john johnny jack", "thomas tom tommy", "michael mike mickey mick", "edward ed eddie ted ned", "charles charlie chuck",
    "elizabeth liz lizzie beth betty eliza lisa", "margaret maggie meg peggy greta", "katherine catherine kate kathy cathy katie",
    "joseph joe joey", "david dave davey", "daniel dan danny", "samuel sam sammy", "benjamin ben benny", "andrew andy drew",
    "anthony tony", "christopher chris", "alexander alex sandy sasha", "nicholas nick", "matthew matt", "gregory greg", "steven stephen steve",
    "patrick pat paddy", "frederick fred freddy", "lawrence larry", "ronald ron", "donald don", "kenneth ken", "timothy tim",
    "susan sue susie", "deborah debbie", "jennifer jenny jen", "victoria vicky", "александр саша", "дмитрий дима", "мария маша", "иван ваня",
    "francisco paco pancho", "jose pepe", "johannes hans johann", "friedrich fritz", "giuseppe beppe",
)  # fmt: skip
_PET_GROUPS: dict[str, frozenset[int]] = {}
for _number, _group in enumerate(_PETS):
    for _name in _group.split():
        _PET_GROUPS[_name] = _PET_GROUPS.get(_name, frozenset()) | {_number}


def has_pet_names(name: str) -> bool:
    """Return whether a given name is one of several forms."""
    return name in _PET_GROUPS


def pet_names(one: str, other: str) -> bool:
    """Return whether two given names are forms of one: Bob and Robert."""
    groups = _PET_GROUPS.get(one)
    return groups is not None and not groups.isdisjoint(_PET_GROUPS.get(other, ()))


def pet_root(name: str) -> str:
    """Return what stands for all forms of a given name, itself where it has only one."""
    groups = _PET_GROUPS.get(name)
    return _PETS[min(groups)].split()[0] if groups else name
