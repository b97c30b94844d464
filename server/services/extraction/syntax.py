"""Syntax: small questions about single words of a parsed sentence, which everything that reads a parse asks."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import vocabulary

PERSON, PLACE, THING = "John", "London", "Google"
"""The words that stand for the names of persons, of places, and for all other names in what the parser sees."""
_STAND_INS = frozenset({PERSON, PLACE, THING})
_ALIASES = frozenset({"name", "title", "nickname", "pseudonym", "alias", "moniker", "term", "word", "label", "banner"})
"""Nouns before a name that only say how something is called."""
_ALLEGED = frozenset({"alleged", "suspected", "reputed", "rumoured", "rumored", "purported", "supposed", "presumptive"})
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})
_QUOTES = frozenset({'"', "“", "‘", "'", "«", "``"})
FINITE = frozenset({"VBZ", "VBP", "VBD"})
DENIALS = frozenset(
    {
        "not",
        "n't",
        "never",
        "without",
        "except",
        "excluding",
        "no",
        "nor",
        "neither",
        "hardly",
        "barely",
        "scarcely",
        "rarely",
        "seldom",
        "unlike",
        "instead",
        "rather",
    }
)


def is_name(token: Token) -> bool:
    """Tell whether the word stands for a name; the parser's own tag says so of many words that it does not know."""
    return token.text in _STAND_INS


def topmost(noun: Token) -> Token:
    """Return the noun that a chain of prepositions begins with: VP in "VP of engineering at"."""
    while noun.dep_ == "pobj" and noun.head.head.pos_ in {"NOUN", "PROPN"}:
        noun = noun.head.head
    return noun


_GENERALS = vocabulary.wordset("attorney governor secretary director solicitor surgeon inspector consul auditor")
"""What stands before "general" in the title of who is no soldier."""


def whole(noun: Token) -> str:
    """Return the noun's lemma with what hyphens bind to it: "great-grandfather", "father-in-law"."""
    first, doc = noun.i, noun.doc
    before = [token.lower_ for token in doc[max(first - 4, 0) : first]]
    if noun.lower_ == "law" and "".join(before).endswith(("in-", "-in")):
        return next((one.strip("-") for one in before if one.strip("-") in vocabulary.KIN), "") + "_in_law"
    if doc[first + 1 : first + 5].text.replace(" ", "") == "-in-law":
        return f"{noun.lemma_}_in_law"
    if noun.lower_ == "minister" and before[-1:] == ["prime"]:
        return "prime_minister"
    if noun.lower_ == "general" and first and before[-1] in _GENERALS:
        return f"{before[-1]}_{noun.lemma_}"
    while (
        first >= 2 and doc[first - 1].text == "-" and not doc[first - 1].whitespace_ and not doc[first - 2].whitespace_
    ):
        first -= 2
    return "".join(token.text for token in doc[first : noun.i]) + noun.lemma_


def main_verb(verb: Token) -> Token:
    """Return the verb whose tense a participle takes."""
    while (verb.tag_ == "VBG" or verb.pos_ == "ADP") and verb.head != verb:
        verb = verb.head
    return verb


def is_passive(verb: Token) -> bool:
    """Tell whether the verb is passive; a participle alone is, unless "have" helps it."""
    if any(child.dep_ in {"auxpass", "nsubjpass"} for child in verb.children):
        return True
    if (
        verb.dep_ in {"acl", "parataxis"}
        and verb.tag_ in {"VBD", "VBN"}
        and any(child.dep_ == "agent" for child in verb.children)
    ):
        return True
    if verb.tag_ != "VBN" or any(child.dep_ == "aux" and child.lemma_ == "have" for child in verb.children):
        return False
    if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        return is_passive(verb.head) and not any(child.dep_ in SUBJECTS for child in verb.children)
    return verb.dep_ in {"acl", "advcl"} or (
        verb.dep_ == "ROOT" and not any(child.dep_ == "aux" for child in verb.children)
    )


def lost_subject(verb: Token) -> Token | None:
    """Return the name right before a second finite verb that the parser has listed with an object: "beat Acme and Ada has left"."""
    helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    first = min((verb, *helpers), key=lambda word: word.i)
    if verb.dep_ != "conj" or first.tag_ not in FINITE | {"MD"} or first.i == 0:
        return None
    name = _name_before(first)
    own = any(child.dep_ in SUBJECTS for child in verb.children)
    joined = name.dep_ == "conj" and name.head != verb and is_name(name) and name.i > verb.head.i
    return name if joined and not own else None


def _name_before(verb: Token) -> Token:
    """Return the word before a verb, or the name that a relative clause or an age between commas stands behind."""
    word = verb.nbor(-1)
    if word.text != "," or word.i == 0:
        return word
    above = (one for one in (word.nbor(-1), *word.nbor(-1).ancestors) if is_name(one) and one.dep_ == "conj")
    name = next(above, word)
    return name if name.i < word.i and name.right_edge.i in {word.i, word.i - 1} else word


def _begins_clause(name: Token) -> bool:
    """Tell whether a listed name has a verb of its own that the parser has given nobody."""
    end = name.right_edge.i if name.right_edge.text == "," else name.i
    after = name.doc[end + 1] if is_name(name) and end + 1 < len(name.doc) else None
    if after is not None and after.text == "," and after.i + 1 < len(name.doc):
        after = after.nbor(1)
    if after is None or after.tag_ not in FINITE | {"MD"}:
        return False
    return lost_subject(after.head if after.dep_ in {"aux", "auxpass"} else after) == name


def is_alleged(noun: Token) -> bool:
    """Tell whether a noun is only said to fit: "an alleged member of", "her rumoured girlfriend"."""
    around = (noun, noun.head) if noun.dep_ == "compound" else (noun,)
    return any(child.lower_ in _ALLEGED and child.i < one.i for one in around for child in one.children)


def is_topic(preposition: Token) -> bool:
    """Tell whether a preposition only says of whom the sentence goes on to speak: "as for Ada, she"."""
    return preposition.lower_ in {"for", "to"} and preposition.i > 0 and preposition.nbor(-1).lower_ == "as"


def conjuncts(token: Token) -> list[Token]:
    """Return the token and the nouns listed with it, those that are negated left out ("A, B but not C")."""
    found = [token]
    for child in token.children:
        if child.dep_ == "conj" and _begins_clause(child):
            continue
        if (child.dep_ == "conj" and child.pos_ not in {"AUX"}) or (child.dep_ == "appos" and _is_listed(child)):
            if child.pos_ == "VERB" and any(one.dep_ in SUBJECTS | OBJECTS for one in child.children):
                continue
            found += conjuncts(child)
    return [one for one in found if one == token or not is_denied(one)]


def _is_listed(token: Token) -> bool:
    """Tell whether what the parser calls an apposition is one more item of a list of names."""
    before = token.doc[token.left_edge.i - 1] if token.left_edge.i else None
    return (
        is_name(token)
        and token.head.tag_ != "CD"
        and token.lower_ not in vocabulary.TITLES
        and before is not None
        and before.text in {",", "and", "or", "&"}
        and not any(child.dep_ == "det" for child in token.children)
    )


def called(noun: Token) -> Token | None:
    """Return the name that follows the noun which says what it is: "the actor Tom Lee", "the book "Northern Lights"", "her cousin King Bo"."""
    if is_name(noun) or noun.pos_ != "NOUN" or noun.lemma_ in _ALIASES:
        return None
    names = (child for child in noun.children if child.dep_ == "appos" and is_name(child) and child.i > noun.i)
    name = next(names, None)
    if name is None and noun.i + 1 < noun.sent.end:
        after = noun.nbor(1)
        name = after if after.dep_ == "appos" and is_name(after) and after.head.is_ancestor(noun) else None
    if name is None:
        return None
    word = noun.lemma_.lower()
    kind = "person" if word in vocabulary.KIN or word in vocabulary.words("roles") else vocabulary.TYPE_NOUNS.get(word)
    between = noun.doc[noun.i + 1 : name.i]
    close = all(token.text in _QUOTES or token.lower_ in vocabulary.TITLES for token in between)
    fits = kind is None or (kind == "person") == (name.text == PERSON)
    return name if close and fits else None


def kin_after(first: Token) -> int:
    """Return where the next "daughter of" after a name begins, whose parents the names behind it are; the sentence's end if none."""
    for token in first.doc[first.i + 1 : first.sent.end]:
        if token.lemma_ in vocabulary.KIN and token.i + 1 < first.sent.end and token.nbor(1).lower_ in {"of", "to"}:
            return token.i
    return first.sent.end


def is_denied(token: Token) -> bool:
    """Tell whether a listed noun is taken back: "but not", "except"."""
    edge = token.left_edge.i
    window = token.doc[max(edge - 2, token.sent.start) : token.i]
    return any(word.lower_ in DENIALS for word in window)
