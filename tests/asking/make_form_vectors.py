"""Writes form_vectors.json: cases that the Python and the JavaScript sampler must both reproduce, byte for byte.

The released records come from ``released`` below, a third sampler that follows the text of rrcore/promise/sampler.py one draw at a time.
Run it again when the mechanism file changes: python -m tests.asking.make_form_vectors
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import accumulate, product
from math import comb
from pathlib import Path

from rrcore.budget import build
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema

VECTORS = Path(__file__).with_name("form_vectors.json")

RANDOM_CASES = 30
"""Cases a mechanism with nothing but random bytes."""

BOUNDARIES = 8
"""Ends of a group's weights at which the first draw is put, from both sides."""


def schema(*sizes: int) -> Schema:
    return Schema(tuple(Attribute(f"q{i}", tuple(f"answer {c}" for c in range(a))) for i, a in enumerate(sizes)))


def planned(name: str, sizes: tuple[int, ...], epsilon: tuple[float, ...]) -> MechanismFile:
    return MechanismFile(schema(*sizes), integer_groups(build(name, sizes, epsilon)))


def mechanisms() -> list[MechanismFile]:
    named = Schema(
        (
            Attribute("__proto__", ("yes", "no", "constructor")),
            Attribute("2020", ("\u2028", "</script>")),
            Attribute("smokes 'daily'", ("\U0001d54f", '"', "\\", "0", "1")),
        )
    )
    mixed = (
        ((2, 0), LieWeights((5, 3), 129, (("00", 500), ("01", 1), ("10", 70), ("11", 1)))),
        ((1,), MatrixWeights(((5, 1), (1, 5)))),
    )
    large = 3 * 2**70 + 5
    return [
        planned("independent", (2, 3, 5), (1.0, 0.5, 2.0)),
        planned("independent", (2, 100, 17), (12.0, 25.0, 0.01)),
        planned("preserving-2", (3, 4, 2), (1.0, 1.5, 2.0)),
        planned("preserving-2", (5, 5, 5, 5), (1.0, 1.0, 1.0, 1.0)),
        planned("optimal", (5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)),
        planned("optimal", (2, 2, 2), (0.5, 0.5, 0.5)),
        planned("joint", (3, 4, 5), (1.0, 1.0, 1.0)),
        planned("closed-form", (7, 2, 4), (3.0, 3.5, 3.2)),
        MechanismFile(schema(2), (((0,), MatrixWeights(((5, 1), (1, 5)))),)),  # forced response: a die
        MechanismFile(schema(2), (((0,), MatrixWeights(((2, 0), (1, 1)))),)),  # a No that says it all
        MechanismFile(schema(4), (((0,), MatrixWeights(tuple(_row(x) for x in range(4)))),)),
        MechanismFile(schema(2, 7), (((1, 0), LieWeights((7, 2), 2**69, (("00", large), ("01", 77), ("11", 2**71)))),)),
        MechanismFile(schema(3), (((0,), LieWeights((3,), 1, (("0", 99), ("1", 29)))),)),  # 129: half of all draws rejected
        MechanismFile(schema(2, 2), (((0, 1), LieWeights((2, 2), 0, (("00", 1),))),)),  # takes no bytes at all
        MechanismFile(named, mixed),
        planned("preserving-2", (2,) * 21, (1.0,) * 21),  # by counts of lies, as all that follow
        planned("preserving-2", (2,) * 8 + (4,) * 6, (1.0,) * 14),
        MechanismFile(schema(3, 2, 3, 2), (((2, 0), CountWeights((3, 3), (2,), (9 << 70, 2, 0))), ((1, 3), TWO))),
        MechanismFile(
            schema(2), (((0,), MatrixWeights((_red(1), _red(3)))),), reports=schema(26)
        ),  # red cards among 25, two decks
        MechanismFile(schema(3, 2), (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))), ((1,), TRIPLE)), reports=schema(2, 3)),
    ]


TRIPLE = MatrixWeights(((4, 2, 1), (1, 2, 4)))
TWO = CountWeights((2, 2), (1, 1), (12, 3, 4, 1))


def _red(fifths: int) -> tuple[int, ...]:
    return tuple(comb(25, red) * fifths**red * (5 - fifths) ** (25 - red) for red in range(26))


def _row(true: int) -> tuple[int, ...]:
    whole = 2**130 + 7
    others = [whole // (10 + true + y) for y in range(3)]
    return (*others[:true], whole - sum(others), *others[true:])


class Recorded:
    """Random bytes, the first ones given, that remember what was asked for."""

    def __init__(self, seed: str, first: bytes = b"") -> None:
        self.random, self.first, self.used = random.Random(seed), first, b""

    def __call__(self, count: int) -> bytes:
        given, self.first = self.first[:count], self.first[count:]
        given += self.random.randbytes(count - len(given))
        self.used += given
        return given


def below(limit: int, entropy: Callable[[int], bytes]) -> int:
    bits = (limit - 1).bit_length()
    if bits == 0:
        return 0
    while True:
        draw = int.from_bytes(entropy(-(-bits // 8)), "big") % 2**bits
        if draw < limit:
            return draw


def released(mechanism: MechanismFile, codes: list[int], entropy: Callable[[int], bytes]) -> list[int]:
    """One record randomized as the text of rrcore/promise/sampler.py says."""
    found = list(codes)
    for places, weights in mechanism.groups:
        draw = below(weights.whole, entropy)
        if isinstance(weights, CountWeights):
            ends = list(accumulate(weights.drawn))
            left = list(
                list(product(*(range(n + 1) for n in weights.kinds)))[next(m for m, end in enumerate(ends) if draw < end)]
            )
            kinds = [t for t, n in enumerate(weights.kinds) for _ in range(n)]
            for i, (place, t) in enumerate(zip(places, kinds, strict=True)):
                if below(kinds[i:].count(t), entropy) < left[t]:
                    left[t] -= 1
                    found[place] = (codes[place] + 1 + below(weights.sizes[i] - 1, entropy)) % weights.sizes[i]
            continue
        if isinstance(weights, MatrixWeights):
            row = weights.rows[codes[places[0]]]
            found[places[0]] = next(y for y, end in enumerate(accumulate(row)) if draw < end)
            continue
        lies = next((name for name, end in _ends(weights) if draw < end), None)
        for i, place in enumerate(places):
            size = weights.sizes[i]
            if lies is None:
                found[place] = below(size, entropy)
            elif lies[i] == "1":
                found[place] = (codes[place] + 1 + below(size - 1, entropy)) % size
    return found


def _ends(weights: LieWeights) -> Iterator[tuple[str, int]]:
    names = [name for name, _ in weights.lies]
    return zip(names, accumulate(weight for _, weight in weights.lies), strict=True)


def first_draws(mechanism: MechanismFile, codes: list[int]) -> Iterator[bytes]:
    """Bytes that put the first draw just below and just at the ends of the first group's weights."""
    places, weights = mechanism.groups[0]
    if isinstance(weights, LieWeights):
        ends = [end for _, end in _ends(weights)]
    else:
        ends = list(accumulate(weights.drawn if isinstance(weights, CountWeights) else weights.rows[codes[places[0]]]))
    bits = (weights.whole - 1).bit_length()
    width = -(-bits // 8)
    high = (1 << 8 * width) - (1 << bits)  # bits that are not looked at
    for end in ends[:: max(1, len(ends) // BOUNDARIES)]:
        for draw in (end - 1, end):
            yield (draw % 2**bits | high).to_bytes(width, "big")


def cases() -> Iterator[dict[str, object]]:
    for number, mechanism in enumerate(mechanisms()):
        choose = random.Random(number)
        sizes = mechanism.schema.sizes
        firsts = [b""] * RANDOM_CASES + list(first_draws(mechanism, [0] * len(sizes)))
        for index, first in enumerate(firsts):
            codes = [0 if first else choose.randrange(size) for size in sizes]
            entropy = Recorded(f"{number} {index}", first)
            result = released(mechanism, codes, entropy)
            yield {"mechanism": number, "codes": codes, "bytes": entropy.used.hex(), "released": result}


def main() -> None:
    documents = ",\n".join(json.dumps(json.loads(mechanism.to_json())) for mechanism in mechanisms())
    lines = ",\n".join(json.dumps(case) for case in cases())
    VECTORS.write_text(f'{{"mechanisms": [\n{documents}\n], "cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
