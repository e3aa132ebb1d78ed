"""What ``make audit`` says about the locked versions."""

import json

import pytest

from tests.test_house import ROOT


def summary(report):
    space = {"__file__": str(ROOT / "tools/dependencies.py"), "__name__": "dependencies"}
    exec((ROOT / "tools/dependencies.py").read_text("utf-8"), space)
    return space["summary"](report)


FINE, UNKNOWN = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
BAD = {"name": "c", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}


@pytest.mark.parametrize(
    ("report", "code", "said"),
    [
        ("", 0, "cannot be reached from here"),
        ("{}", 0, "cannot be reached from here"),
        ({"dependencies": [UNKNOWN]}, 0, "cannot be reached from here"),
        ({"dependencies": [FINE]}, 0, "None of the 1 locked versions is known to be vulnerable."),
        ({"dependencies": [FINE, UNKNOWN]}, 0, "1 are not in the database"),
        ({"dependencies": [FINE, BAD]}, 1, "Known to be vulnerable: c 2: CVE-1, CVE-2. Lock newer versions"),
    ],
)
def test_what_is_said_about_the_locked_versions(report, code, said):
    found = summary(report if isinstance(report, str) else json.dumps(report))
    assert found[0] == code
    assert said in found[1]
