"""The straight lines drawn on a PDF page: rules of tables, whether stroked or filled as thin boxes."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_float, c_int
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from server.services.formats.pdf.glyphs import Box, turned

__all__ = ["Rule", "rules"]

_MOST = 4_000
_THIN = 2.0
_SHORT = 6.0
_DEEPEST = 4
_Matrix = tuple[float, float, float, float, float, float]
_Point = tuple[float, float]
_SAME: _Matrix = (1, 0, 0, 1, 0, 0)


class Rule(NamedTuple):
    """A line at `at` (y where it is level, else x) from `low` to `high`, in reading space."""

    level: bool
    at: float
    low: float
    high: float


def rules(page: Any, turn: int, box: Box) -> list[Rule]:
    """Return the level and upright lines of a page; none of a drawing that has thousands."""
    found: list[Rule] = []
    objects = (pdfium.FPDFPage_GetObject(page, at) for at in range(min(pdfium.FPDFPage_CountObjects(page), 50_000)))
    left = 10 * _MOST
    for one, other in _edges(objects, _SAME, 0):
        left -= 1
        if left < 0 or len(found) > _MOST:
            return []
        (x0, y0), (x1, y1) = turned(*one, turn, box), turned(*other, turn, box)
        if abs(y0 - y1) <= _THIN and abs(x0 - x1) >= _SHORT:
            found.append(Rule(True, (y0 + y1) / 2, min(x0, x1), max(x0, x1)))
        elif abs(x0 - x1) <= _THIN and abs(y0 - y1) >= _SHORT:
            found.append(Rule(False, (x0 + x1) / 2, min(y0, y1), max(y0, y1)))
    return found


def _edges(objects: Iterator[Any], matrix: _Matrix, depth: int) -> Iterator[tuple[_Point, _Point]]:
    for drawn in objects:
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield from _of_path(drawn, _times(_matrix(drawn), matrix))
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = (
                pdfium.FPDFFormObj_GetObject(drawn, at)
                for at in range(min(pdfium.FPDFFormObj_CountObjects(drawn), 50_000))
            )
            yield from _edges(inner, _times(_matrix(drawn), matrix), depth + 1)


def _of_path(path: Any, matrix: _Matrix) -> Iterator[tuple[_Point, _Point]]:
    fill, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke))
    for points in _outlines(path, matrix):
        if stroke.value:
            yield from pairwise(points)
        elif fill.value and len(points) > 2:
            xs, ys = [x for x, _ in points], [y for _, y in points]
            x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
            if x1 - x0 <= _THIN:
                yield ((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1)
            elif y1 - y0 <= _THIN:
                yield (x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2)


def _outlines(path: Any, matrix: _Matrix) -> Iterator[list[_Point]]:
    """The outlines of a path that have straight edges only."""
    x, y = c_float(), c_float()
    points: list[_Point] = []
    straight = True
    for at in range(min(pdfium.FPDFPath_CountSegments(path), 10 * _MOST)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            if straight and len(points) > 1:
                yield points
            points, straight = [], True
        elif kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            straight = False
        pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        a, b, c, d, e, f = matrix
        points.append((a * x.value + c * y.value + e, b * x.value + d * y.value + f))
        if pdfium.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if straight and len(points) > 1:
        yield points


def _matrix(drawn: Any) -> _Matrix:
    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(drawn, byref(found)):
        return _SAME
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(inner: _Matrix, outer: _Matrix) -> _Matrix:
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m
