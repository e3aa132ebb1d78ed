"""Filters, reports and graphs written down by hand, and Algorithm 1 as plain loops.

The alumni are those of LoPub, Tables V and VI.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from rrcore.papers.lopub import DependencyGraph
from rrcore.papers.lopub.reports import BloomFilter, ReportProtocol, Reports
from rrcore.table.schema import Attribute, Schema


def bits_of(strings):
    return np.array([[int(bit) for bit in string] for string in strings])


def filter_of(name, strings, hashes=2):
    """A Bloom filter whose bit strings are these."""
    attribute = Attribute(name, tuple(f"{name} {number}" for number in range(len(strings))))
    made = BloomFilter(attribute, len(strings[0]), hashes)
    vars(made)["patterns"] = bits_of(strings).astype(bool)  # where cached_property looks first
    return made


def reports_of(filters, columns, flip=0.5):
    """Reports that are these bit strings, one column per attribute."""
    return Reports(
        ReportProtocol(tuple(filters), flip), tuple(np.packbits(bits_of(column).astype(bool), axis=1) for column in columns)
    )


GENDER = ("01", "10")
EDUCATION = ("0101", "0110", "1100")


def alumni():
    """Gender and education of the four records of Table VI, f = 1/2."""
    filters = (filter_of("Gender", GENDER, 1), filter_of("Education", EDUCATION))
    return reports_of(filters, (["10", "00", "10", "00"], ["0111", "1110", "0100", "0110"]))


def schema_of(*sizes):
    return Schema(tuple(Attribute(f"A{i}", tuple(f"c{c}" for c in range(size))) for i, size in enumerate(sizes)))


def graph_of(d, edges, sizes=None):
    """Exactly these dependencies: information 1 there, 0 elsewhere, thresholds between."""
    information = np.zeros((d, d))
    for i, j in edges:
        information[i, j] = information[j, i] = 1
    return DependencyGraph(tuple(sizes or [2] * d), information, 0.5)


FIGURE_5 = [(0, 1), (1, 2), (1, 4), (2, 4), (1, 3), (3, 4)]
"""Its dependencies: A1A2, A2A3, A2A5, A3A5, A2A4, A4A5."""


def likelihood(report, pattern, flip):
    """Line 4 of Algorithm 1, corrected: a bit is what it was with probability 1 - f/2."""
    found = 1
    for sent, true in zip(report, pattern, strict=True):
        found *= 1 - flip / 2 if sent == true else flip / 2
    return found


def plain_em(reports, axes, *, start=None, tolerance=1e-5, most=2_000):
    """Algorithm 1 with line 4 and the stopping rule corrected: loops over reports, combinations and bits.

    Returns the shares and, iteration by iteration, the mean log-likelihood with its constant.
    """
    filters = [reports.protocol.filters[axis] for axis in axes]
    sizes, patterns = [each.attribute.size for each in filters], [each.patterns.tolist() for each in filters]
    columns = [reports.bits(axis).tolist() for axis in axes]
    combinations = list(product(*(range(size) for size in sizes)))
    given = []
    for i in range(reports.n):
        single = [
            [likelihood(column[i], pattern, reports.protocol.flip) for pattern in every]
            for column, every in zip(columns, patterns, strict=True)
        ]
        row = []
        for combination in combinations:
            value = 1.0
            for table, code in zip(single, combination, strict=True):
                value *= table[code]
            row.append(value)
        given.append(row)
    shares = [1 / len(combinations)] * len(combinations) if start is None else list(np.ravel(start) / np.sum(start))

    def fits():
        return [sum(p * g for p, g in zip(shares, row, strict=True)) for row in given]

    totals = fits()
    curve, change = [float(np.mean(np.log(totals)))], np.inf
    while change > tolerance and len(curve) <= most:
        new = [0.0] * len(combinations)
        for row, total in zip(given, totals, strict=True):
            for cell, (share, chance) in enumerate(zip(shares, row, strict=True)):
                new[cell] += share * chance / total / reports.n
        change = max(abs(a - b) for a, b in zip(new, shares, strict=True))
        shares = new
        totals = fits()
        curve.append(float(np.mean(np.log(totals))))
    return np.array(shares).reshape(sizes), np.array(curve)
