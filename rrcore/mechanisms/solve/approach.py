"""From smoothed optima of the dual to a band that holds the optimum: two ways, for levels alone and for levels and floors."""

from __future__ import annotations

import numpy as np

from rrcore.mechanisms.solve.band import FEW, WORTHWHILE, Band
from rrcore.mechanisms.solve.countgrid import CountGrid, Part
from rrcore.mechanisms.solve.softdual import Point, sharpened
from rrcore.work import Report

_UNDECIDED = 2048  # the band may take over once fewer vectors than this have a smoothed phi within (.05, .95)
_SHARP = 0.5  # however many vectors are undecided, they are taken for ties once the dual is this sharp
BLUNT = 0.3  # before the dual is this sharp only a jump to the vertex it points at is tried
_CLEAR = 0.3  # nats, gap of the smoothed dual from which on that programme takes over
_TIRED = 40  # Newton steps on one tau after which it is of no use
_PROGRESS = 0.05  # A fall of the gap by this much, in nats, is progress too
_PATIENCE = 4  # how often in a row sharpening the dual or moving the band may be of no use


def approach(band: Band, report: Report) -> None:
    """Levels alone: jump to a vertex from every smoothed optimum; once the dual is sharp enough, solve on the band around it too."""
    before, fruitless = np.inf, 0
    for sharp, at, here in sharpened(band.grid):
        report(0.5 * sharp, "smoothing the dual")
        if here is not None:
            continue
        band.lower(band.grid, at.x)
        if band.jump(at.x):
            return
        if sharp < BLUNT:
            continue
        band.offer(at.phi, band.grid)
        if at.undecided > _UNDECIDED and sharp < _SHARP:
            continue
        if band.settle(at, report):
            return
        fruitless = 0 if band.gap < max(WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        before = band.gap
        if fruitless > _PATIENCE:
            return


def approach_floors(band: Band, report: Report) -> None:
    """Levels and floors: correct every smoothed optimum; where that brings no more, or vectors are few, solve on the band around it."""
    fruitless, steps, last = 0, 0, np.inf
    best: tuple[float, Point] | None = None
    for sharp, at, here in sharpened(band.grid, band.floors):
        report(0.5 * sharp, "smoothing the dual")
        steps += 1
        if here is not None and (best is None or best[1].gap > _CLEAR or steps % _TIRED):
            continue
        if here is not None:
            at = Point(at.part, here.x)
        assert not isinstance(at.part, Part)
        band.lower(at.part, at.x)
        if isinstance(at.part, CountGrid) and here is None and band.jump(at.x):
            return
        gap = band.offer(at.met(), at.part) if here is None else np.inf
        if band.gap <= band.enough:
            return
        useful, steps = gap < WORTHWHILE * last, steps if here is not None else 0
        if best is None or gap < best[0]:
            best = gap, at
        last = min(last, gap)
        few = band.log_uniform.size <= FEW and at.gap < _CLEAR
        if (useful and not few) or (not (useful or few) and last == np.inf):
            continue
        before = band.gap
        if band.settle(best[1] if gap > best[0] else at, report):
            return
        fruitless = 0 if band.gap < max(WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        if fruitless > _PATIENCE:
            return
    if best is not None:
        band.settle(best[1], report)
