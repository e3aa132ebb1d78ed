"""Recompute the exact privacy of a mechanism file, and compare it with the claim.

    python check.py                     reads mechanism.json next to this script, and certificate.json and released.csv if they are there
    python check.py FILE [OTHER ...]    reads another mechanism file, and other certificates and tables (.csv)

The script compares the fingerprint and the number of rows stated in a table. It cannot distinguish true answers from randomized ones.
It does not read certificate.txt or other texts, which can claim anything. Someone who forges them can forge this script. Use your own copy.

It needs only Python 3.9 or newer. It shares no code with the program that made the files. The exit code is 0 if every claim holds,
else 1.

Questions form groups that are randomized independently. A weight is a whole number, written as text. A probability is a weight divided by
the sum of all weights. The fields of a group are one of
  matrix          one question: row x, column y is the weight of reporting y if x is true
  uniform, lies   "uniform": all answers are drawn from all their categories. "011": exactly the answers marked 1 change
  kinds, records  the number of questions of each kind, and the weight of a single record by its number of false answers of each
                  kind, in the order (0, ..., 0, 0), (0, ..., 0, 1), and so on
A report shifts the odds between two true answers by the ratio of its probabilities. A claim is the largest such ratio:
  epsilon           about one answer, for someone who sees its report alone
  epsilon_informed  about one answer, for someone who sees the whole reported record and knows all other true answers
  epsilon_total     between any two whole records
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import sys
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import accumulate, product
from pathlib import Path
from typing import Any


def need(true: Any, sentence: str) -> None:
    """Exit with a sentence unless the condition is ``true``."""
    if not true:
        raise ValueError(sentence)


def only(found: Any, fields: str) -> None:
    """Reject unknown fields, because nothing checks what they claim."""
    need(found.keys() == set(fields.split()), f"it contains other fields than {fields} in one place")


def whole(text: Any, pattern: str = "0|[1-9][0-9]{0,399}") -> int:
    """Return a whole number that is written as text."""
    need(type(text) is str and re.fullmatch(pattern, text), f"it contains {str(text)[:40]!r} instead of a whole number")
    return int(text)


def read(path: Path) -> Any:
    """Read the document in a file, and reject duplicate fields.

    Programs differ in which of two duplicates they use.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "it contains a field twice")
        return dict(pairs)

    with path.open("rb") as file:
        content = file.read(2**25 + 1)
    need(len(content) <= 2**25, "it has more than 32 MB")
    short = lambda digits: whole(digits, "-?[0-9]{1,9}")
    return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_int=short, parse_float=whole, parse_constant=whole)


def texts(found: Any, least: int) -> list[str]:
    """Return a list of at least ``least`` different strings."""
    need(type(found) is list and {*map(type, found)} <= {str}, "it contains another value instead of a list of strings")
    need(len(found) == len(set(found)) >= least, "a list of names is too short or contains a duplicate")
    return list(found)


def largest(pairs: Any) -> Any:
    """Return the largest ratio within any of the ``pairs``.

    The ratio is infinite if only one number of a pair is 0.

    >>> largest([(5, 1), (2, 3), (0, 0)])
    Fraction(5, 1)
    """
    high, low = 1, 1
    for one, other in pairs:
        if max(one, other) * low > high * min(one, other):
            high, low = max(one, other), min(one, other)
    return Fraction(high, low) if low else math.inf


def of_matrix(group: Any, sizes: list[int], reports: list[int]) -> Any:
    """Return the probabilities of true reports, and the ratios to compare with claims.

    The probabilities depend on the true answer.
    """
    rows = [[whole(weight) for weight in row] for row in group["matrix"]]
    shape = [len(rows)] == sizes and {len(row) for row in rows} == {reports[0] or sizes[0]}
    need(shape, "a matrix does not have a row for each answer and a column for each report of one question")
    need(len({sum(row) for row in rows}) == 1 and sum(rows[0]), "the rows of a matrix do not have the same sum, above 0")
    odds = largest((max(column), min(column)) for column in zip(*rows))
    return [([] if any(reports) else [Fraction(row[x], sum(row)) for x, row in enumerate(rows)], odds, odds)], odds


def of_lies(group: Any, sizes: list[int], reports: list[int]) -> Any:
    """Do the same as ``of_matrix`` for sets of changed answers.

    Each question is a kind by itself. A record shares the weight of its set, and ``uniform``.
    """
    lies = {tuple(map("01".find, lie)): whole(weight) for lie, weight in group["lies"].items()}
    need(all(len(lie) == len(sizes) and -1 not in lie for lie in lies), "a set of changes does not fit its questions")
    every, share = math.prod(sizes), math.prod(size - 1 for size in sizes)  # their product leaves no fraction of any weight
    rest = whole(group["uniform"]) * share
    with_lies = {lie: math.prod(size - 1 for size, false in zip(sizes, lie) if false) for lie in lies}
    one = {lie: weight * every * (share // with_lies[lie]) + rest for lie, weight in lies.items()}
    return of_records(sizes, [1] * len(sizes), one, rest)


def of_counts(group: Any, sizes: list[int], reports: list[int]) -> Any:
    """Do the same as ``of_matrix`` for counts of false answers."""
    kinds, records = group["kinds"], [whole(weight) for weight in group["records"]]
    alike = all(type(n) is int and n > 0 and len({*sizes[end - n : end]}) == 1 for end, n in zip(accumulate(kinds), kinds))
    need(alike and sum(kinds) == len(sizes), "the kinds do not fit their questions")
    need(len(records) == math.prod(n + 1 for n in kinds), "there is not one weight for each count")
    return of_records(sizes, kinds, dict(zip(product(*(range(n + 1) for n in kinds)), records)), 0)


def of_records(sizes: list[int], kinds: list[int], one: dict[tuple[int, ...], int], rest: int) -> Any:
    """Do the same as ``of_matrix`` from the weight of a record by its false answers.

    Counts of false answers that are not listed have the weight ``rest``.
    """
    others, all_listed = [sizes[end - 1] - 1 for end in accumulate(kinds)], len(one) == math.prod(n + 1 for n in kinds)
    ways = [[math.comb(n, m) * a**m for m in range(n + 1)] for n, a in zip(kinds, others)]
    more = {at: (x - rest) * math.prod(way[m] for way, m in zip(ways, at)) for at, x in one.items()}
    every, found = sum(more.values()) + rest * math.prod(sizes), []
    need(every, "all weights are 0")
    by_one = (1,) if all_listed else (-1, 1)
    for t, (n, a) in enumerate(zip(kinds, others)):
        false = Fraction(sum(x * at[t] for at, x in more.items()), n) + Fraction(rest * math.prod(sizes) * a, a + 1)
        near = ((x, (*at[:t], at[t] + by, *at[t + 1 :])) for at, x in one.items() for by in by_one if 0 <= at[t] + by <= n)
        informed = largest((x, one.get(at, rest)) for x, at in near)
        found += [([1 - false / every], largest([(every - false, false / a)]), informed)] * n
    seen = [*one.values(), *([] if all_listed else [rest])]
    return found, largest([(max(seen), min(seen))])


KINDS = {"attributes matrix": of_matrix, "attributes lies uniform": of_lies, "attributes kinds records": of_counts}


def promises(file: Any) -> Any:
    """Return the results of ``of_matrix`` by name, and the product of all totals."""
    body = {name: file[name] for name in file if name != "sha256"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    need(file["format"] == "rr-workbench mechanism" and repr(file["version"]) == "1", "it is not a mechanism file of version 1")
    only(file, "format version made_by note attributes randomization claim sha256")
    need(file["sha256"] == hashlib.sha256(text).hexdigest(), "it was changed, because its SHA-256 does not match its content")
    for one in file["attributes"]:
        only({**one, "reports": 0}, "name kind categories reports")
    sizes = {one["name"]: len(texts(one["categories"], 2)) for one in file["attributes"]}
    reports = {one["name"]: len(texts(one["reports"], 2)) if "reports" in one else 0 for one in file["attributes"]}
    found: dict[str, Any] = {}
    total: Any = Fraction(1)
    for group in file["randomization"]:
        names, kind = texts(group["attributes"], 1), " ".join(sorted(group))
        need(sizes.keys() >= set(names) and not found.keys() & names, "a question is randomized twice, or not asked")
        need(
            kind == "attributes matrix" or not any(reports[name] for name in names),
            "a question with its own reports needs a matrix",
        )
        rows, odds = KINDS[kind](group, [sizes[name] for name in names], [reports[name] for name in names])
        found.update(zip(names, rows))
        total = math.inf if math.inf in (total, odds) else total * odds
    need(len(texts([one["name"] for one in file["attributes"]], 1)) == len(found), "a question is not randomized")
    return {name: found[name] for name in sizes}, total


def nats(odds: Any) -> Decimal:
    """Return the natural logarithm to fifty decimals, rounded up."""
    if odds in (1, math.inf):
        return Decimal(0 if odds == 1 else "inf")
    precise = Context(prec=80)
    return precise.add(precise.ln(precise.divide(Decimal(odds.numerator), Decimal(odds.denominator))), Decimal("1e-50"))


def odds_text(odds: Any) -> str:
    """Return odds to four digits, and in nats to six decimals, rounded up."""
    if odds == math.inf:
        return "without bound"
    times = Context(prec=4, rounding=ROUND_CEILING).divide(Decimal(odds.numerator), Decimal(odds.denominator))
    short = f"{times:.3e}" if times >= 10**6 else f"{times:,f}"
    return f"{short} times ({nats(odds).quantize(Decimal('1e-6'), ROUND_CEILING)} nats)"


def kept(claim: Any, found: Any, total: Any) -> int:
    """Return how many numbers of a claim are larger than necessary.

    A number that is smaller than the weights allow is rejected.
    """
    need([one["attribute"] for one in claim["attributes"]] == list(found), "it is about different questions")
    for one in claim["attributes"]:
        only(one, "attribute epsilon epsilon_informed")
    given = {
        f"the {kind} of '{name}'": row[i] for kind, i in (("epsilon", 1), ("epsilon_informed", 2)) for name, row in found.items()
    }
    claimed = [one[kind] for kind in ("epsilon", "epsilon_informed") for one in claim["attributes"]]
    more = 0
    for what, odds, said in zip([*given, "the whole record"], [*given.values(), total], [*claimed, claim["epsilon_total"]]):
        only(said, "ratio nats")
        none = said["ratio"] == said["nats"] == "unbounded"
        need(none or re.fullmatch(r"[0-9]{1,9}\.[0-9]{9}", said["nats"]), f"the claim for {what} cannot be read")
        ratio = math.inf if none else Fraction(*(whole(part, "[1-9][0-9]{0,399999}") for part in said["ratio"].split("/")))
        need(
            ratio >= odds,
            f"it claims {said['ratio'][:40]} for {what}, but the weights give {str(odds)[:40]}: {odds_text(odds)}",
        )
        claimed_nats = Decimal("inf" if none else said["nats"])
        need(claimed_nats >= nats(odds), f"it claims {claimed_nats} nats for {what}, but the weights give {odds_text(odds)}")
        more += ratio > odds or claimed_nats > nats(odds) + Decimal("1e-9")
    return more


def compare_table(path: Path, fingerprint: str) -> None:
    """Compare a table of randomized answers with the fingerprint of a mechanism file.

    Rows may have been sorted.
    """
    changed = "so it was truncated or changed"
    rows, named, header, draws = -1, 0, [""], set()
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in filter(None, csv.reader(file)):
            rows += 1
            if rows == 0:
                header = row
            elif row[-1]:
                mark = re.fullmatch("mechanism ([0-9a-f]{64}) draw ([0-9a-f]{32}) rows ([1-9][0-9]{0,17})", row[-1])
                if header[-1] != "rr_release" or mark is None:
                    raise ValueError(f"one of its rows lacks the mark of a release, {changed}")
                need(mark[1] == fingerprint, f"it was randomized with another mechanism file, with the fingerprint {mark[1]}")
                need(mark[2] not in draws, f"it contains the same answers twice, {changed}")
                draws.add(mark[2])
                named += int(mark[3])
    need(named, f"none of its rows names a mechanism file, {changed}")
    need(named == rows, f"it contains {rows} rows instead of {named}, {changed}")
    print(f"{path.name}: it names this mechanism file. Nobody can tell from it whether the answers are true or randomized.")


def main(path: Path, *others: Path) -> None:
    """Print the privacy that the weights provide, and whether every claim holds."""
    getattr(sys, "set_int_max_str_digits", int)(0)  # the odds of a long record may have thousands of digits
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    now = path
    try:
        file = read(path)
        found, total = promises(file)
        print(f"{path.name}, SHA-256 {file['sha256']}")
        print("A report shifts the odds between two true answers at most by:")
        for name, (true, alone, informed) in found.items():
            shares = sorted({f"{float(100 * share):.1f}" for share in true}, key=float)
            often = f"{' to '.join(shares[:1] + shares[1:][-1:])}% of its reports are true; " if true else ""
            print(f"{name!r}: {often}alone {odds_text(alone)}; all else known {odds_text(informed)}")
        print(f"Whole record, between any two people: {odds_text(total)}")
        for now in (path, *others):
            if now.suffix == ".csv":
                compare_table(now, file["sha256"])
                continue
            document = read(now)
            need(document["sha256"] == file["sha256"], "it belongs to another mechanism file")
            claim = document["claim"] if document == file else {key: document[key] for key in document if key != "sha256"}
            only(claim, "attributes epsilon_total")
            more = kept(claim, found, total)
            how = f"and {more} of its numbers are larger than necessary" if more else "to the last digit"
            print(f"{now.name}: every claim holds, {how}.")
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError, csv.Error) as error:
        why = str(error) if isinstance(error, (OSError, ValueError)) else f"it has an unexpected structure ({error!r})"
        raise SystemExit("".join(c if c.isprintable() else "?" for c in f"{now.name} is refused: {why[:300]}.")) from None


if __name__ == "__main__":
    own, *more = (Path(__file__).with_name(name) for name in ("mechanism.json", "certificate.json", "released.csv"))
    main(*(map(Path, sys.argv[1:]) if sys.argv[1:] else [own, *filter(Path.exists, more)]))
