"""Programs that tests run and pip cannot install. ``tools/programs.sh`` installs them where it may."""

import os
import shutil

import pytest

NEEDS = "needs the Debian package "
"""Beginning of the reason of a skip. The end of the run names these packages (``tests/conftest.py``)."""


def _program(package: str, *names: str) -> str:
    """Return a program's path, or else skip the test, which fails if RR_REQUIRE_PROGRAMS is set, as in CI."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin"))
    for name in names:
        if path := shutil.which(name, path=places):
            return path
    (pytest.fail if os.environ.get("RR_REQUIRE_PROGRAMS") else pytest.skip)(NEEDS + package)


def chromium() -> str:
    """Return Chromium, best the one that draws no window."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return _program("chromium-headless-shell", *names)


def node() -> str:
    return _program("nodejs", "node")


def nginx() -> str:
    return _program("nginx-light", "nginx")
