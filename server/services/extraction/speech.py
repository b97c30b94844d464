"""Speech: which lines of a chat, a transcript or an e-mail are whose words, so that "I" and "we" have somebody to stand for.

Works on raw lines and knows nothing of grammar. A line whose speaker is not plain has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.services.extraction import vocabulary

_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"(?:\d{{4}}-\d\d-\d\d[T ,]+|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}},?\s+)?{_CLOCK}"
_NAME = r"@?[^\W\d_][\w.'’-]{0,24}(?:\s[^\W\d_][\w.'’-]{0,24}){0,2}"
_TIMED = re.compile(
    rf"[*_]{{0,2}}(?:\[{_STAMP}\]|\({_STAMP}\)|{_STAMP})\s*[-–—:|]?\s*[*_]{{0,2}}(?:<(?P<nick>{_NAME})>|(?P<name>{_NAME})[*_]{{0,2}}:)[*_]{{0,2}}\s+(?=\S)"
)
_NAME_THEN_TIME = re.compile(
    rf"[*_]{{0,2}}(?P<name>{_NAME})[*_]{{0,2}}(?:\s\([^()]{{1,20}}\))?:?\s+[*_]{{0,2}}[\[(]?{_STAMP}[\])]?[*_]{{0,2}}(?::\s+(?=\S)|\s*$)"
)
_TIME_THEN_NAME = re.compile(rf"[*_]{{0,2}}[\[(]{_STAMP}[\])]\s+[*_]{{0,2}}(?P<name>{_NAME})[*_]{{0,2}}\s*$")
_PLAIN = re.compile(
    rf"(?:<(?P<nick>{_NAME})>|[*_]{{0,2}}(?P<name>{_NAME})[*_]{{0,2}}(?:\s\([^()]{{1,40}}\))?:)[*_]{{0,2}}\s+(?=\S)"
)
_HEADER = re.compile(r"(From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Message-ID):[ \t]*(.*)$", re.IGNORECASE)
_MAILBOX = re.compile(r"\"?([^\W\d_][\w.'’ -]{1,60}?)\"?\s*<[^<>\s@]+@[^<>\s]+>")
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I’m|I've|I’ve|i|i'm|i’m|my|My|we|We|we're|we’re|our|Our|me)\b")
_QUOTATION = re.compile(r"\s*>|On\b.{5,100}\bwrote:$|-{3,}\s*Original Message")
_LEVELS = frozenset("INFO ERROR WARN WARNING DEBUG TRACE FATAL CRITICAL NOTICE".split())
"""What logs write where a chat has a name."""
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_NOBODY = vocabulary.wordset(
    "note warning tip todo fixme question answer q a example update edit ps re fw fwd http https step goal status ai action owner "
    "decision summary result usage error info debug server client user admin system bot everyone all team here interviewer"
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody whose words follow; the name as it stands at text[start:end] of the chunk."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What one line is: from which of its characters on it is speech (its length where it only announces one), and whose."""

    skip: int
    speaker: Speaker | None


def turns(lines: Sequence[str]) -> dict[int, Turn]:
    """Return the lines, by number, with which somebody begins to speak, or nobody does any more; offsets count from the first line."""
    starts = _offsets(lines)
    mail = _mail(lines, starts)
    if mail:
        return mail
    found: dict[int, Turn] = {}
    plain: dict[int, Turn] = {}
    nobodys: dict[int, Turn] = {}
    said = ""
    for number, line in enumerate(lines):
        quoted = _QUOTE.match(line)
        first = quoted.end() if quoted else 0
        if (match := _TIMED.match(line, first) or _NAME_THEN_TIME.match(line, first)) or (
            (match := _TIME_THEN_NAME.match(line, first))
            and match["name"].split()[0].title() in vocabulary.given_names()
        ):
            found[number] = _turn(match, starts[number])
        elif (match := _PLAIN.match(line, first)) and _is_somebody(match):
            plain[number] = _turn(match, starts[number])
            said += line[match.end() :] + "\n"
        elif match and (match["name"] or "").lower() in _NOBODY:
            nobodys[number] = Turn(match.end(), None)
    if found:
        return found | {number: turn for number, turn in plain.items() if _is_of(turn, found)}
    filled = sum(bool(line.strip()) for line in lines)
    if filled == 1:
        plain = {number: turn for number, turn in plain.items() if turn.speaker and _is_called(turn.speaker.name)}
    return plain | nobodys if 2 * (len(plain) + len(nobodys)) >= filled and _FIRST_PERSON.search(said) else {}


def _offsets(lines: Sequence[str]) -> list[int]:
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return starts


def _turn(match: re.Match[str], start: int) -> Turn:
    group = "nick" if match.groupdict().get("nick") else "name"
    name = match[group].removeprefix("@")
    first = start + match.end(group) - len(name)
    shown = name.title() if name.isupper() and " " in name else name
    nobody = bool(_LEVELS & set(name.split())) or name.lower() in _NOBODY or name.lower().endswith("bot")
    return Turn(match.end(), None if nobody else Speaker(shown, first, start + match.end(group)))


def _is_somebody(match: re.Match[str]) -> bool:
    """Tell whether "name:" may open a turn without a time: a nick, a given name or a capitalised pair, no heading word."""
    words = (match.groupdict()["nick"] or match["name"]).removeprefix("@").split()
    if words[0].lower() in _NOBODY or any(word.lower() in vocabulary.words("not_names") for word in words):
        return False
    if words[0].capitalize() in vocabulary.given_names():
        return True
    pair = len(words) > 1 and all(word[0].isupper() for word in words)
    return pair or (len(words) == 1 and words[0].islower())


def _is_called(name: str) -> bool:
    """Tell whether a name is a person's; on a line alone, a nick before a colon may well be who is spoken to."""
    return " " in name or name.capitalize() in vocabulary.given_names()


def _is_of(turn: Turn, found: dict[int, Turn]) -> bool:
    """Tell whether a turn without a time belongs to somebody who has one elsewhere."""
    names = {one.speaker.name for one in found.values() if one.speaker}
    return turn.speaker is not None and turn.speaker.name in names


def _mail(lines: Sequence[str], starts: Sequence[int]) -> dict[int, Turn]:
    """Return an e-mail's turns: its headers are nobody's words, its body the sender's, what it quotes again nobody's."""
    found: dict[int, Turn] = {}
    sender: Speaker | None = None
    keys: set[str] = set()
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header and (keys or header[1].lower() in {"from", "to", "subject", "date"}):
            keys.add(header[1].lower())
            if header[1].lower() == "from":
                sender = _sender(header, starts[number])
            found[number] = Turn(0 if header[1].lower() in {"from", "to", "cc", "subject"} else len(line), None)
        elif number and number - 1 in found and keys and not line.strip() and sender:
            found[number] = Turn(0, sender)
        elif _QUOTATION.match(line):
            found[number] = Turn(0, None)
        elif number - 1 in found and _QUOTATION.match(lines[number - 1]) and line.strip():
            found[number] = Turn(0, sender)
    return found if "from" in keys and len(keys) > 1 else {}


def _sender(header: re.Match[str], start: int) -> Speaker | None:
    box = _MAILBOX.match(header[2])
    if box is None or "@" in box[1]:
        return None
    first = start + header.start(2) + box.start(1)
    return Speaker(box[1], first, first + len(box[1]))
