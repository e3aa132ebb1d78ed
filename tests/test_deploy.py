"""What is deployed: the container files and the unit of systemd, as far as they can be checked without running them.

``nginx.conf`` is tried with a real nginx in ``tests/serving``.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rrcore.cli import app

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


CONTAINERS = (ROOT / "Containerfile", DEPLOY / "Containerfile.receiver")
UNITS = ("rr-receiver@.service",)


def instructions(file=CONTAINERS[0]):
    """The instructions of a container file, with continued lines as one."""
    text = re.sub(r"\\\n\s*", "", file.read_text(encoding="utf-8"))
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("file", CONTAINERS, ids=lambda file: file.name)
def test_a_container_file_has_no_fault_that_a_linter_knows(file):
    done = subprocess.run([Path(sys.executable).parent / "hadolint", file], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_the_container_copies_is_there_and_is_all_that_the_wheel_is_made_of():
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    copied = [rest.split()[:-1] for word, rest in instructions() if word == "COPY" and not rest.startswith("--from")]
    copied = [name for names in copied for name in names]
    assert all((ROOT / name).exists() for name in copied)
    assert ignored == ["**", *(f"!{name}" for name in copied), "**/__pycache__"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = build["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {name.split("/")[0] for name in [*wheel["packages"], *wheel["force-include"]]} <= set(copied)


def test_the_container_runs_as_nobody_special_from_a_pinned_base_and_says_whether_it_is_well():
    found = instructions()
    words = [word for word, _ in found]
    last = found[len(words) - 1 - words[::-1].index("FROM") :]
    base = next(rest for word, rest in found if word == "ARG")
    assert re.fullmatch(r"BASE=docker\.io/library/python:\d+\.\d+-slim-\w+", base)
    (user,) = [rest for word, rest in last if word == "USER"]
    assert int(user.split(":")[0]) >= 1000
    assert any(word == "HEALTHCHECK" and "/_stcore/health" in rest for word, rest in last)
    assert not any(re.search(r"requirements-dev|\bapt|curl|wget|sudo|:latest|--extra dev", rest) for _, rest in found)
    installed = [rest for word, rest in found if word == "RUN" and "pip install" in rest]
    assert "-r requirements.txt" in installed[0]
    assert "--no-deps ." in installed[1]


def test_the_receivers_container_installs_locked_versions_and_runs_as_nobody_special():
    found = instructions(CONTAINERS[1])
    assert next(rest for word, rest in found if word == "ARG") == next(rest for word, rest in instructions() if word == "ARG")
    copied = {name for word, rest in found if word == "COPY" and not rest.startswith("--from") for name in rest.split()[:-1]}
    assert {
        name.removeprefix("!") for name in (ROOT / ".containerignore").read_text(encoding="utf-8").split() if name[0] == "!"
    } == copied
    assert any("--constraint requirements.txt '.[survey]'" in rest for word, rest in found if word == "RUN")
    assert [rest for word, rest in found if word == "USER"] == ["10002:10002"]
    assert any(word == "HEALTHCHECK" and "/health" in rest for word, rest in found)
    (entry,) = [json.loads(rest) for word, rest in found if word == "ENTRYPOINT"]
    assert app.parse_args(entry[1:])[1].arguments["db"] == "/var/lib/rr-receiver/answers.survey"


def test_the_receivers_unit_serves_what_its_options_say():
    unit = (DEPLOY / UNITS[0]).read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=\S+/rrcore (.*)$", unit, re.MULTILINE)
    (options,) = re.findall(r"^RR_OPTIONS=(.*)$", (DEPLOY / "receiver.conf").read_text(encoding="utf-8"), re.MULTILINE)
    _, bound, _ = app.parse_args(line.replace("%i", "pilot").replace("$RR_OPTIONS", options).split())
    assert bound.arguments["db"] == "/var/lib/rr-receiver/pilot.survey"
    assert "StandardError=append:/var/log/rr-receiver/" in unit  # a journal would add times


def test_folders_of_the_receivers_unit_are_made_before_it_starts():
    """The finding: its log is opened before systemd makes LogsDirectory (its issue 27591), so that by the recipe it never started."""
    unit = (DEPLOY / UNITS[0]).read_text(encoding="utf-8")
    logs, state = ({Path(file).parent for file in re.findall(key, unit)} for key in (r"=append:(\S+)", r"--db (\S+)"))
    recipe = (ROOT / "docs" / "about" / "hosting.md").read_text(encoding="utf-8").partition("systemctl enable")[0]
    made = re.findall(r"^install -d -o rr-receiver -g rr-receiver -m (\d+) (\S+)$", recipe, re.MULTILINE)
    assert {Path(folder): mode for mode, folder in made} == dict.fromkeys(logs, "0750") | dict.fromkeys(state, "0700")


def test_images_are_built_in_the_format_that_knows_health():
    """The finding: podman makes OCI images by default, and those drop HEALTHCHECK."""
    for place, images in ((CONTAINERS[0], 1), (CONTAINERS[1], 1), (ROOT / "docs" / "about" / "hosting.md", 2)):
        found = re.findall(r"podman build (.*)", place.read_text(encoding="utf-8"))
        assert [options.startswith("--format docker ") for options in found] == [True] * images


@pytest.mark.parametrize("file", ["nginx.conf", "nginx-receiver.conf"])
def test_no_server_of_nginx_logs_who_asks(file):
    """The finding: in front of the dashboard errors, and whatever came by http, were written to nginx's own logs, with addresses."""
    _, *servers = (DEPLOY / file).read_text(encoding="utf-8").split("\nserver {\n")
    assert len(servers) == 2
    for server in servers:
        assert re.findall(r"^ +(?:access|error)_log (.*?);", server, re.MULTILINE) == ["off", "/dev/null crit"]


@pytest.mark.slow
@pytest.mark.parametrize("file", CONTAINERS, ids=lambda file: file.name)
def test_an_image_is_built(file):
    builder = next(filter(None, map(shutil.which, ("podman", "docker", "buildah"))), None)
    if builder is None:
        pytest.skip("no builder of images is installed: podman, docker or buildah")
    base = next(rest for word, rest in instructions(file) if word == "ARG").partition("=")[2]
    pulled = subprocess.run([builder, "pull", base], capture_output=True, text=True, timeout=300, check=False)
    if pulled.returncode:
        pytest.skip(f"the base image cannot be had here: {pulled.stderr.strip()[-200:]}")
    done = subprocess.run(
        [builder, "build", "-f", file, "-t", "rr-test", ROOT], capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_a_unit_is_understood_by_systemd_and_exposes_little(name, tmp_path):
    unit = tmp_path / name
    text = (DEPLOY / name).read_text(encoding="utf-8")
    unit.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", text), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit]  # 2.0 of 10
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:]
