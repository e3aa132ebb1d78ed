"""Writes picture_vectors.json: what the form's picture says of mechanisms, from the whole channel written out (tests/oracles.py).

Python's numbers and what the sampler of the form draws in the practice item must both reproduce it exactly. Run it again when a mechanism
below changes: python -m tests.asking.make_picture_vectors
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from math import floor
from pathlib import Path

from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests import oracles

VECTORS = Path(__file__).with_name("picture_vectors.json")

DECLINING = Attribute("bribe", ("no", "yes", "Prefer not to answer"))


def mechanisms() -> Iterator[tuple[str, MechanismFile, int, int, int]]:
    """What it is, the mechanism, and place, answer and other of its picture."""
    smokes, health = Attribute("smokes", ("no", "yes")), Attribute("health", ("good", "fair", "poor"))
    affirmed = Attribute("smokes", ("Yes", "No"))

    def alone(attribute: Attribute, weights: LieWeights | MatrixWeights) -> MechanismFile:
        return MechanismFile(Schema((attribute,)), (((0,), weights),))

    dependent = LieWeights((2, 3), 12, (("00", 500), ("01", 40), ("10", 70), ("11", 129)))
    yield "a die", alone(smokes, MatrixWeights(((5, 1), (1, 5)))), 0, 1, 0
    yield "unequal", alone(smokes, MatrixWeights(((70, 30), (9, 91)))), 0, 1, 0
    yield "yes comes first", alone(affirmed, MatrixWeights(((91, 9), (30, 70)))), 0, 0, 1
    yield "declining", alone(DECLINING, LieWeights((3,), 1, (("0", 99), ("1", 29)))), 0, 1, 0
    yield "three answers", alone(health, MatrixWeights(((70, 20, 9), (33, 33, 33), (1, 8, 90)))), 0, 2, 0
    yield "dependent lies, the question of two answers", MechanismFile(Schema((health, smokes)), (((1, 0), dependent),)), 1, 1, 0
    counts = CountWeights((2, 2), (2,), (40, 9, 7))
    yield "counts", MechanismFile(Schema((smokes, Attribute("bribe", ("no", "yes")))), (((0, 1), counts),)), 0, 1, 0
    yield "less than one half of 100", alone(smokes, MatrixWeights(((997, 3), (3, 997)))), 0, 1, 0
    yield "just one", alone(smokes, MatrixWeights(((990, 10), (10, 990)))), 0, 1, 0
    yield "one-sided", alone(smokes, MatrixWeights(((2, 0), (1, 1)))), 0, 1, 0


def share_of(file: MechanismFile, place: int, answer: int, other: int) -> Fraction:
    """Of people with one answer, the others of any kind, the share that sends another: the same whatever the others are."""
    channel, cells = oracles.exact_channel(file.groups), oracles.cells(file.schema.sizes)
    true = tuple(other if i == place else size - 1 for i, size in enumerate(file.schema.sizes))
    return sum((Fraction(channel[true, output]) for output in cells if output[place] == answer), Fraction(0))


def written(share: Fraction) -> str:
    """The number in the sentence, in English."""
    number = floor(100 * share + Fraction(1, 2))
    if 100 * share == number:
        return str(number)
    return "fewer than 1" if number == 0 else "more than 99" if number == 100 else f"about {number}"


def main() -> None:
    cases = []
    for name, file, place, answer, other in mechanisms():
        share = share_of(file, place, answer, other)
        cases.append(
            {
                "name": name,
                "mechanism": json.loads(file.to_json()),
                "place": place,
                "answer": answer,
                "other": other,
                "share": [share.numerator, share.denominator],
                "number": written(share),
            }
        )
    VECTORS.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
