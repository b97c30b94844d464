"""Formats: what a file says, as text that chunking and extraction can read.

`sniff` tells a file's type by its content; a `Converter` reads it in a process of its own, within bounded time and memory,
and refuses with a reason what cannot be read. What becomes of the text is decided elsewhere.
"""

from server.services.formats.converter import Converter
from server.services.formats.regular import open_regular, read_regular
from server.services.formats.sniffing import sniff
from server.services.formats.types import MIME_TYPES, Converted, text_kind

__all__ = ["MIME_TYPES", "Converted", "Converter", "open_regular", "read_regular", "sniff", "text_kind"]
