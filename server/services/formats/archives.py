"""The parts of an Office file, unpacked within bounds: no more than is allowed, no passwords, no entities."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from server.errors import BadUserInput, LimitExceeded
from server.services.formats.limits import MIB

__all__ = ["BROKEN", "repacked", "unpack"]

BROKEN = "The Word file is broken: open it in Word and save it anew."
_PARTS = 10_000
_PIECE = 65_536
_ENTITIES = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.I)


def unpack(data: bytes, most: int) -> dict[str, bytes]:
    """Return the XML parts of an Office file by their names; pictures and embedded files stay packed.

    Raises:
        BadUserInput: it is no archive, broken, protected by a password, or declares entities.
        LimitExceeded: it holds more than `most` bytes, by its own account or in truth.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if any(entry.flag_bits & 1 for entry in entries):
                raise BadUserInput("The Word file is protected by a password: send it without one.")
            if len(entries) > _PARTS or sum(entry.file_size for entry in entries) > most:
                raise LimitExceeded(_too_much(most))
            return _read(archive, [entry for entry in entries if entry.filename.endswith((".xml", ".rels"))], most)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
        raise BadUserInput(BROKEN) from error


def _read(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], most: int) -> dict[str, bytes]:
    parts = {}
    left = most
    for entry in entries:
        pieces = []
        with archive.open(entry) as file:
            while piece := file.read(_PIECE):
                pieces.append(piece)
                left -= len(piece)
                if left < 0:
                    raise LimitExceeded(_too_much(most))
        part = b"".join(pieces)
        if _ENTITIES.search(part if b"\x00" not in part[:200] else part.replace(b"\x00", b"")):
            raise BadUserInput(
                "The Word file declares XML entities, which Word never does: open it in Word and save it anew."
            )
        parts[entry.filename.lstrip("/")] = part
    return parts


def _too_much(most: int) -> str:
    return f"The Word file unpacks to more than {most // MIB:,} MiB: send it in parts."


def repacked(parts: dict[str, bytes]) -> io.BytesIO:
    """Return an archive of these parts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    packed.seek(0)
    return packed
