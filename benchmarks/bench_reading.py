"""A large CSV as an upload: time until it can be previewed, time and memory until it is loaded, beside a plain read by pyarrow.

python benchmarks/bench_reading.py [megabytes, 150 by default]
"""

import io
import resource
import sys
import time

import numpy as np
import pyarrow.csv as pacsv

from benchmarks.sizes import size
from rrcore.table import guess_layout, open_file, recode
from rrcore.table.read import first_rules
from rrcore.work.bounded import Bounds, prepare, within

SIZES = {
    "sex": 2,
    "age": 90,
    "education": 16,
    "occupation": 14,
    "region": 9,
    "smokes": 2,
    "income": 5000,
    "health": 5,
    "party": 7,
}


def survey(megabytes):
    """A survey of about that size, with a running number, as CSV."""
    rng, out = np.random.default_rng(1), io.BytesIO()
    out.write((",".join(["id", *SIZES]) + "\n").encode())
    number = 0
    while out.tell() < megabytes * 10**6:
        codes = [rng.integers(0, size, 20_000) for size in SIZES.values()]
        for row in zip(*(column.tolist() for column in codes), strict=True):
            number += 1
            sex, age, education, occupation, region, smokes, income, health, party = row
            answers = f"{'fm'[sex]},{age},school {education},job {occupation},region {region},{'yes' if smokes else 'no'}"
            out.write(f"{number},{answers},{income * 10},{health},party {party}\n".encode())
    return out.getvalue()


def main():
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else size(150.0, 1.0)
    data = survey(megabytes)
    prepare("rrcore.table.reading.file")
    open_file(b"a,b\n1,2\n", "warm.csv").read()
    before, peaks = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, []
    with within(Bounds(ended=peaks.append)):
        start = time.perf_counter()
        file = open_file(data, "survey.csv")
        layout = guess_layout(file).layout
        preview = time.perf_counter() - start
        start = time.perf_counter()
        table = file.read(layout)
        load = time.perf_counter() - start
    start = time.perf_counter()
    dataset = recode(table, first_rules(table))
    recoded = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    start = time.perf_counter()
    plain = pacsv.read_csv(io.BytesIO(data))
    plainly = time.perf_counter() - start
    print(
        f"{len(data) / 10**6:.0f} MB of CSV, {plain.num_rows:,} rows, {dataset.k} attributes; pyarrow alone reads it in {plainly:.2f} s"
    )
    print(f"preview {preview:.2f} s, load {load:.2f} s ({load / plainly:.1f} times pyarrow), made a dataset in {recoded:.2f} s")
    print(
        f"peak of the process that reads {max(peaks):.0f} MB, the file included, of {file.megabytes} MB promised; "
        f"growth of the one that asks {grown:.0f} MB"
    )


if __name__ == "__main__":
    main()
