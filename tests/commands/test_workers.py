"""Options before a command: how many processes share its work, or which cluster does it."""

from concurrent.futures import ThreadPoolExecutor

from rrcore.__main__ import main
from rrcore.commands import workers

COMPARE = (
    "compare",
    "--in",
    "demo:titanic",
    "--eps",
    "1",
    "--width",
    "2",
    "--schemes",
    "rr-independent,pair-safe",
    "--repeats",
    "3",
)


def told(capsys, *arguments, code=0):
    assert main(arguments) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_workers_do_the_work_of_a_command(capsys, monkeypatch):
    asked = []

    def threads(scheduler, number):  # that processes give the same is tried in tests/work
        asked.append((scheduler, number))
        return ThreadPoolExecutor(number)

    alone = told(capsys, *COMPARE)
    monkeypatch.setattr(workers, "open_executor", threads)
    assert told(capsys, "--workers", "2", *COMPARE) == alone
    assert told(capsys, "--workers=3", *COMPARE) == alone
    assert asked == [("", 2), ("", 3)]


def test_workers_that_cannot_be_had(capsys):
    assert "The number of workers is 'two': give a whole number of at least 1." in told(
        capsys, "--workers", "two", *COMPARE, code=2
    )
    assert "The number of workers is '0'" in told(capsys, "--workers", "0", *COMPARE, code=2)
    both = ("--workers", "2", "--scheduler", "tcp://localhost:8786")
    assert "Both a scheduler and a number of workers are given" in told(capsys, *both, *COMPARE, code=2)


def test_a_command_that_has_no_use_for_workers_says_so(capsys):
    said = told(capsys, "--workers", "2", "ledger", "list", "--db", "releases.ledger", code=2)
    assert said == "'ledger' does all of its work itself: leave out --workers and --scheduler.\n"
