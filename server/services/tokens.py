"""Tokens: how long a text is to a language model, by the one tokenizer that budgets and figures here name.

It is MiniLM's, because it is at hand without a network. A large model's own takes about as many for prose in Latin script, and
fewer or more for the rest: a budget here is a measure that is always the same, not the bill of a provider.
"""

from __future__ import annotations

from functools import cache

from server.embeddings.wordpiece import WordPiece, read_vocabulary

__all__ = ["TOKENIZER", "count"]

TOKENIZER = "WordPiece of all-MiniLM-L6-v2"


@cache
def _wordpiece() -> WordPiece:
    return WordPiece(read_vocabulary())


def count(text: str) -> int:
    """Return how many tokens `text` has; a word unknown to the vocabulary counts its letters. Linear in the text.

    What white space parts is counted apart, so the tokens of lines add up to those of the text that they make.
    """
    return _wordpiece().count(text)
