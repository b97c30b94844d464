"""Talk: what somebody says of themselves: "I", "we" and "my" stand for who speaks, and "she" never does."""

from __future__ import annotations

import re

from server.services.extraction.cast import Cast, Member
from server.services.extraction.coreference import Discourse
from server.services.extraction.reading import Piece

_OWN = frozenset({"i", "we", "my", "our", "me", "us"})
_ANY_OWN = re.compile(r"\b(?:I|i|we|We|WE|my|My|our|Our)\b")


class Talk(Discourse):
    """The discourse of one turn: third persons are whom the turn names, not who speaks."""

    def __init__(self, speaker: Member) -> None:
        super().__init__(Cast(), None)
        self._speaker = speaker

    def mention(self, member: Member) -> None:
        """Note that the turn has just named `member`."""
        if member is not self._speaker:
            super().mention(member)

    def begin(self, subject: Member | None) -> None:
        """Note what a clause has just been about."""
        if subject is not self._speaker:
            super().begin(subject)


def speaks_of_self(text: str) -> bool:
    """Tell whether a text may say something of who speaks."""
    return _ANY_OWN.search(text) is not None


def voiced(pieces: list[Piece], speaker: Member) -> list[Piece]:
    """Return the pieces with "I", "we" and "my" standing for who speaks."""
    return [
        Piece(one.start, one.end, one.word, speaker) if one.means is None and one.word.lower() in _OWN else one
        for one in pieces
    ]
