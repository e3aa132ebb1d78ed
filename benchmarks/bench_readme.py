"""Does the example of the README print what the README shows? Numbers are compared as text, up to a line with three dots.

Run ``python -m benchmarks.bench_readme``. Exits 1 if a line differs.
"""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

from benchmarks.thresholds import Measured, verdict

README = Path(__file__).parents[1] / "README.md"


def main() -> int:
    text = README.read_text(encoding="utf-8")
    (code,), (shown,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text"))
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()) as out:
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    printed = out.getvalue().splitlines()
    print(*printed, sep="\n")
    wanted = shown.split("...")[0].splitlines()
    different = sum(one != other for one, other in zip(wanted, printed, strict=False)) + max(0, len(wanted) - len(printed))
    return verdict("readme", [Measured(f"lines that differ, of {len(wanted)}", different, 0)])


if __name__ == "__main__":
    sys.exit(main())
