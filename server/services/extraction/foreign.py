"""Foreign: which passages are not English, by their function words and their script, cheaply and only where it is plain.

Names, headings and lines without a sentence hold no function words beyond the particles of names, so they pass.
"""

from __future__ import annotations

import re

from server.services.extraction import vocabulary

_ENGLISH = vocabulary.wordset(
    "the and of to is was are were be been has have had it its he she they his her their this that these those with for from by at "
    "as on or not but which who when where will would can could there than then also after before into about if we you i our your my "
    "no do does did more most some such only other over since until while because so"
)
_LANGUAGES = tuple(
    vocabulary.wordset(words)
    for words in (
        "der das und ist nicht ein eine einer einen einem eines den dem des von vom zu zum zur mit für auf bei beim nach seit aus auch als "
        "wird wurde wurden werden sie er es wir ich sich ihr ihre sein seine durch über unter oder aber wie noch nur sind waren haben im "
        "dass diese dieser dieses kann",
        "le la les des du un une et est sont était dans pour par avec sur ce cette ces qui que ne pas plus il elle ils elles nous vous au "
        "aux en se sa ses leur depuis mais ou où comme été ont avait chez de",
        "el la los las un una y es son fue en de del al con por para que se su sus lo como más pero desde este esta estos muy también ha "
        "han está era no",
        "il lo la gli le un una e è sono di del della dei delle dal dalla nel nella con che si suo sua ma anche come più non ha hanno era "
        "dove sul sulla al alla questo questa",
        "de het een en van is niet op te zijn met voor aan dat die er bij ook als maar om uit door naar sinds werd wordt worden heeft hebben "
        "zij hij ze haar deze dit nog wel",
    )
)
_PARTICLES = vocabulary.PARTICLES | vocabulary.wordset("des du la le los las e und et en zum zur im")
_WORD = re.compile(r"[^\W\d_]+")
_SEGMENT = re.compile(r"\S.*?(?:[.!?。！？](?=[\s\"”»)]|$)\S*|$)", re.DOTALL)
_LAST_LATIN = 0x24F
_ENOUGH_LETTERS = 20


def is_foreign(text: str) -> bool:
    """Tell whether a sentence or a longer text plainly is in another language than English; linear in its length."""
    letters = [character for character in text if character.isalpha()]
    others = sum(ord(character) > _LAST_LATIN and not 0x1E00 <= ord(character) <= 0x1EFF for character in letters)
    if others >= _ENOUGH_LETTERS and 2 * others > len(letters):
        return True
    words = _WORD.findall(text)
    english, hits, kinds = _function_words(words)
    plain = any(word.islower() and len(word) > 3 and word not in _ENGLISH for word in words)
    return plain and kinds >= 2 and hits > 2 * english and 7 * hits >= len(words)


def _function_words(words: list[str]) -> tuple[int, int, int]:
    """Return how many of the words are English ones, how many those of the other language that has most, and how many different."""
    lower = [word.lower() for word in words]
    counted = [word for index, word in enumerate(lower) if word not in _ENGLISH and not _binds_a_name(words, index)]
    found = max(([word for word in counted if word in language] for language in _LANGUAGES), key=len)
    return sum(word in _ENGLISH for word in lower), len(found), len(set(found))


def _binds_a_name(words: list[str], index: int) -> bool:
    """Tell whether the word may be a name's own particle: "Universidad de los Andes"."""
    if words[index] not in _PARTICLES:
        return False
    after = next((word for word in words[index + 1 : index + 4] if word not in _PARTICLES), "")
    before = next((word for word in reversed(words[max(index - 3, 0) : index]) if word not in _PARTICLES), "")
    return after[:1].isupper() and before[:1].isupper()


def foreign_spans(text: str, *, among_foreign: bool = False) -> list[tuple[int, int]]:
    """Return the half-open spans of the sentences of `text` that are not English, neighbours as one.

    `among_foreign`: what stands around `text` is not English, so only what plainly is English is left.
    """
    spans: list[tuple[int, int]] = []
    last = -1
    for match in _SEGMENT.finditer(text):
        if is_foreign(match[0]) or (among_foreign and not _is_english(match[0])):
            start = spans.pop()[0] if spans and spans[-1][1] == last else match.start()
            spans.append((start, match.end()))
        last = match.end()
    return spans


def _is_english(text: str) -> bool:
    english, hits, _ = _function_words(_WORD.findall(text))
    return english > hits
