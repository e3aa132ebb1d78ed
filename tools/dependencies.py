"""Whether a version in requirements.txt is known to be vulnerable: pip-audit, and one sentence where it cannot know."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
UNKNOWN = (
    "The advisory database cannot be reached from here, so that nothing is known about the locked versions: run make audit where "
    "pypi.org can be reached."
)


def summary(report: str) -> tuple[int, str]:
    """Exit code and sentence for what pip-audit printed as JSON."""
    try:
        found = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return 0, UNKNOWN
    known = [one for one in found if "vulns" in one]
    if not known:
        return 0, UNKNOWN
    wrong = [f"{one['name']} {one['version']}: {', '.join(bug['id'] for bug in one['vulns'])}" for one in known if one["vulns"]]
    left = f"; {len(found) - len(known)} are not in the database" if len(known) < len(found) else ""
    if wrong:
        return 1, f"Known to be vulnerable: {'; '.join(wrong)}. Lock newer versions with make lock UPGRADE=--upgrade{left}."
    return 0, f"None of the {len(known)} locked versions is known to be vulnerable{left}."


def main() -> int:
    options = ["--requirement", str(REQUIREMENTS), "--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run([sys.executable, "-m", "pip_audit", *options], capture_output=True, text=True, check=False, timeout=600)
    code, sentence = summary(done.stdout)
    print(sentence)
    return code


if __name__ == "__main__":
    sys.exit(main())
