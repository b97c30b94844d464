"""Lower case: names in chat, where nobody minds the shift key: "mona uses neovim", "we moved from jenkins to buildkite".

Listed names are found in any text, people and places only where the writer leaves capitals out. What no list knows needs a verb that
takes a tool, and must be no word of any dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.kinds import Trust

_WHOLE = re.compile(r"(?![\w/+#]|-\w|\.\w|\()")
_PLAIN = re.compile(r"[a-zà-ÿ][\wà-ÿ.-]{2,24}")
_DOMAIN = re.compile(r"[a-z][a-z0-9-]{1,20}\.(?:io|ai|dev|app|sh|com)")
_BINDING = frozenset("-/._@#$")
_COMMON_NAMES = vocabulary.wordset(
    "will mark bill grace rose may april june jack frank hope faith joy art gene rob sue pat chuck dick guy ray dean earl grant lance "
    "drew josh iris ivy dawn eve max miles nick penny rich rusty sandy skip stew ted van victor violet wade ward woody paige page pearl "
    "melody mercy morgan jay jade jean jo john ken kit lane lee link mac marina marshall mason mick mike noble norm olive otter dale daisy "
    "dot don don't dom em ernest basil bob brad brook buck bud cameron carol cash chance chase cherry chris christian clay cliff cole "
    "colt crystal cat art amber angel august austin autumn bailey barb beau bee blaze blossom bo harry heath heather holly hunter jasmine "
    "jewel jimmy josie junior kelly kirk lacy laurel lily linden lily lotus mandy maria mars mary merry mo minx nan ned nova nell oak ollie "
    "patience peg petunia poppy prudence reed ricky robin rocky roman ruby rue sage sally sam sterling storm summer tiffany tom tony tracy "
    "troy val vera verity viola wren zed son hon min sung long lin mai yes hui yu an ash mo ana dan rod randy ross scott sharon pierce "
    "salvador israel jordan paris chad georgia cyrus jasper lana lance lincoln nadir olga sasha toby jerry jonas jordan"
)
_TOOLS = vocabulary.wordset(
    "use uses used using run runs running adopt adopts adopted install installs installed deploy deploys deployed try tried love loves "
    "loved like likes prefer prefers hate hates dropped ditched switched"
)
_MOVES = vocabulary.wordset(
    "move moved moving migrate migrated migrating switch switched switching go went port ported porting change changed"
)
_REACHING = vocabulary.wordset("on in with via to from under let use using run install boot like into for of")
_PLAIN_TOOLS = vocabulary.wordset(
    "windows slack zoom notion rust apple amazon meta oracle stripe node react flask docker excel outlook teams discord telegram steam gnome vista "
    "linear figma signal twitch spark airflow snowflake redshift kinesis angular flutter git azure wine opera flash"
)
_NOUNS = frozenset({"NN", "NNP", "NNS", "NNPS", "FW", "JJ", "VBP", "VB", "RB", "UH", "IN"})
_DETERMINERS = vocabulary.wordset(
    "a an the this that these those my your his her its our their some any no each every another"
)
_SAYING = vocabulary.wordset(
    "said says asked asks told tells wrote writes thinks thought uses used likes loves wants needs knows works worked is was has"
)
_ADDRESSING = vocabulary.wordset("ask tell ping with and cc from by thanks for to hey hi met")

Find = tuple[int, int, str, Trust]
"""Half-open tokens, the type and what it is worth."""


def lower_case_names(doc: Doc) -> Iterator[Find]:
    """Yield the names that stand in lower case."""
    casual, text = is_casual(doc), doc.text
    by_word, names = vocabulary.lowered_by_word(), vocabulary.lowered()
    end = -1
    for token in doc:
        if token.i < end or not token.text[0].islower():
            continue
        found = _listed(text, token, by_word)
        if found is not None and (names[found[1]][1] in {"technology", "product"} or casual):
            end, lower = found
            if _is_used_as_name(doc, token.i, end, names[lower][1]):
                yield token.i, end, names[lower][1], Trust.LIST
            continue
        if casual and _is_person(token):
            yield token.i, token.i + 1, "person", Trust.CUE
        elif (
            (casual and (_is_plain_tool(token) or _is_spoken_of(token)))
            or _is_tool(token)
            or _DOMAIN.fullmatch(token.text)
        ):
            yield token.i, token.i + 1, "technology", Trust.CUE


def is_casual(doc: Doc) -> bool:
    """Tell whether the writer leaves capitals out: the text starts in lower case and no sentence of it starts otherwise."""
    starts = [token for token in doc if token.is_alpha and (token.i == 0 or doc[token.i - 1].text in {".", "!", "?"})]
    return (
        bool(starts)
        and starts[0].text[0].islower()
        and not any(token.text[0].isupper() and token.text != "I" for token in starts)
    )


def _listed(text: str, token: Token, by_word: dict[str, tuple[str, ...]]) -> tuple[int, str] | None:
    """Return the listed name that starts at the token, in lower case, and the token where it ends."""
    for lower in by_word.get(vocabulary.first_word(token.text), ()):
        stop = token.idx + len(lower)
        if (
            text.startswith(lower, token.idx)
            and _WHOLE.match(text, stop)
            and text[token.idx - 1 : token.idx] not in _BINDING
        ):
            span = token.doc.char_span(token.idx, stop)
            if span is not None:
                return span.end, lower
    return None


def _is_used_as_name(doc: Doc, first: int, last: int, kind: str) -> bool:
    """Tell whether nothing makes a common noun of it: an article of its own ("a python"), a plural's number."""
    before = doc[first - 1].lower_ if first else ""
    after = doc[last] if last < len(doc) else None
    if kind in {"technology", "product"} and last - first == 1 and language.is_word(doc[first].lower_):
        modifies = after is not None and after.tag_ in {"NN", "NNS"}
        return before not in {"a", "an", "the", "this", "that"} or modifies
    return True


def _is_person(token: Token) -> bool:
    """Tell whether a given name stands where a person does: before a verb, after "ask" or "with"."""
    name = token.text.capitalize()
    if name not in vocabulary.given_names() or len(name) < 3:
        return False
    before = token.nbor(-1).lower_ if token.i else ""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    if before in _DETERMINERS or not _PLAIN.fullmatch(token.text):
        return False
    acts = after is not None and (after.lower_ in _SAYING or after.text in {"'s", "’s"} or after.tag_ in {"VBZ", "VBD"})
    if token.text in _COMMON_NAMES:
        return (
            acts
            and after is not None
            and after.lower_ in _SAYING
            and before in {"", "and", ",", "that", "because", "but"}
        )
    return (
        acts or before in _ADDRESSING or before in {"", "and", ",", "but", "that", "if", "whether", "because", "when"}
    )


def _is_tool(token: Token) -> bool:
    """Tell whether an unknown word stands where a tool's name does: "uses neovim", "from jenkins to buildkite", "bun instead of node"."""
    if not _PLAIN.fullmatch(token.text) or token.tag_ not in _NOUNS or token.i == 0 or language.is_word(token.text):
        return False
    doc, before = token.doc, token.nbor(-1)
    if before.lower_ in _TOOLS:
        return True
    if before.lower_ in {"to", "from"} and any(one.lower_ in _MOVES for one in doc[max(token.i - 6, 0) : token.i - 1]):
        return True
    if before.lower_ in {"with", "over", "of", "by", "on", "in"} and token.i > 1:
        return doc[token.i - 2].lower_ in {
            "instead",
            "replaced",
            "built",
            "written",
            "implemented",
            "runs",
            "running",
            "powered",
        }
    return before.lower_ in {"and", "or", ",", "than"} and token.i > 1 and _is_listed(doc[token.i - 2])


def _is_plain_tool(token: Token) -> bool:
    """Tell whether a common word means the tool of that name here: "let windows", "on slack"; with an article it does not."""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    bare = (
        token.i > 0 and token.nbor(-1).lower_ in _REACHING and not (after is not None and after.tag_ in {"NN", "NNS"})
    )
    return token.text in _PLAIN_TOOLS and bare


def _is_spoken_of(token: Token) -> bool:
    """Tell whether a word that no dictionary has is used as a name in chat: "in ntfs", "compiz on", "xfce is"."""
    if (
        not _PLAIN.fullmatch(token.text)
        or language.is_word(token.text)
        or token.tag_ in {"UH", "VBD", "VBG", "VBN", "RB", "MD"}
    ):
        return False
    if token.text.endswith(("ed", "ing", "ly", "nt", "ll")) or _is_misspelt(token.text):
        return False
    before = token.nbor(-1).lower_ if token.i else ""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    if after is not None and after.text in {":", ",", "-"} and before in {"", ".", "!", "?"}:
        return False  # whom somebody talks to
    starts = before in {"", ":", ".", "!", "?", ";"}
    says = after is not None and after.tag_ in {"VBZ", "VBD", "MD"}
    if starts or before in _DETERMINERS:
        return says and starts and len(token.text) > 2
    return before in _REACHING | {"or", "and", "is", "than", "get", "got", "into"} and (
        after is None or after.tag_ not in {"NN", "NNS"}
    )


def _is_misspelt(word: str) -> bool:
    """Tell whether the word is one slip away from a common word: two letters swapped, one doubled, one too many."""
    if len(word) < 4 or any(character.isdigit() for character in word):
        return False
    for index in range(len(word)):
        dropped = word[:index] + word[index + 1 :]
        swapped = word[:index] + word[index : index + 2][::-1] + word[index + 2 :]
        if (len(dropped) > 3 and language.is_word(dropped)) or (swapped != word and language.is_word(swapped)):
            return True
    return any(
        language.is_word(word[:index] + vowel + word[index + 1 :])
        for index in range(1, len(word))
        for vowel in "aeiou"
        if word[index] in "aeiou"
    )


def _is_listed(token: Token) -> bool:
    return token.text in vocabulary.lowered() or token.text in vocabulary.listed()
