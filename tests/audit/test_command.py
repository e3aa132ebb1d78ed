"""Somebody else's program as a sampler: rrcore itself, programs that cheat, and programs that do not do what they are asked."""

import sys
from shlex import join

import numpy as np
import pytest

from rrcore.audit import check_sampler, command_sampler
from rrcore.audit.expected import Expected
from rrcore.audit.lies import check_lies, check_people, check_replacements
from rrcore.audit.sequence import check_sequence
from rrcore.audit.trials import try_records
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema
from tests.audit import zoo

SCHEMA = Schema((Attribute("sex", ("f", "m")), Attribute("job, if any", ("=none", "a, b", "-3"))))
FILE = MechanismFile(SCHEMA, integer_groups(build("pair-safe", (2, 3), (1.0, 1.0))))
TRUE = np.array([[0, 1], [1, 2], [1, 0]], dtype=np.int32)


def python(code):
    return join([sys.executable, "-IS", "-c", code])  # without what is installed: it is started a hundred times


ECHO = "import sys; sys.stdout.write(sys.stdin.read())"


def test_records_go_and_come_as_csv_whatever_the_categories():
    np.testing.assert_array_equal(command_sampler(python(ECHO), SCHEMA)(TRUE), TRUE)


def test_columns_may_come_in_another_order_and_with_others_between():
    code = "import csv, sys; r = list(csv.reader(sys.stdin)); csv.writer(sys.stdout).writerows([b, 'x', a] for a, b in r)"
    np.testing.assert_array_equal(command_sampler(python(code), SCHEMA)(TRUE), TRUE)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", r"^The sampler is empty: give the command that starts it"),
        ("python 'mine.py", r"^The sampler 'python 'mine\.py' is not understood \(No closing quotation\): check its quotation marks\.$"),
        ("no-such-program-here", r"^The sampler 'no-such-program-here' cannot be started \(No such file or directory\): check"),
        (python("print(1); raise ValueError('my mistake')"), r"failed with exit code 1: run it by hand .* It said: ValueError: my mistake$"),
        (python("import time; time.sleep(9)"), r"did not end within 0 seconds: it has to stop when its standard input ends"),
        (python("import sys; sys.stdin.read()"), r"^The sampler wrote nothing: let it write a header and one line"),
        (python("import sys; sys.stdout.write(sys.stdin.read() + 'f,-3')"), r"^The sampler was sent 3 records and wrote 4 lines after"),
        (python("print(''.join(open(0).readlines()[:-1]), end='')"), r"was sent 3 records and wrote 2 lines after the header: let it"),
        (python("print(open(0).read().replace('sex', 'age'))"), r"has no column 'sex', it has 'age', 'job, if any': let it write the header"),
        (python("print(open(0).read().replace('m,', 'M,'))"), r"^Line 3 of what the sampler wrote has 'M' for 'sex', which is not one of"),
        (python("print(open(0).read().replace(',-3', ''))"), r"^Line 3 of what the sampler wrote has 1 value, the header has 2 names"),
        (python("import sys; sys.stdout.buffer.write(b'\\xff\\xfe')"), r"is not UTF-8 text: let it write CSV in UTF-8\.$"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said(command, message):
    seconds = 0.3 if "sleep" in command else 60
    with pytest.raises(InputError, match=message):
        command_sampler(command, SCHEMA, seconds=seconds)(TRUE)


@pytest.mark.long
def test_rrcore_collect_can_itself_be_audited(tmp_path):
    """One start for 3,000 records; benchmarks/bench_audit.py makes a whole audit of it. A false alarm once in 100,000."""
    path = tmp_path / "mech.json"
    path.write_text(FILE.to_json(), encoding="utf-8")
    command = join([sys.executable, "-m", "rrcore", "collect", "--mechanism", str(path), "--in", "-", "--out", "-"])
    expected, rng = Expected(FILE), np.random.default_rng(0)
    trials = try_records(command_sampler(command, SCHEMA), expected, [(0, 0), (1, 2)], 3000, rng=rng)
    for check in (
        check_lies(trials, expected, alpha=1e-6, rng=rng),
        check_people(trials, expected, alpha=1e-6),
        check_replacements(trials, expected, alpha=1e-6),
        check_sequence(trials, expected, alpha=1e-6),
    ):
        assert not check.caught
        assert check.tests > 5


@pytest.mark.long
def test_a_program_that_seeds_itself_is_caught_by_its_starts():
    code = (
        "import csv, random, sys; random.seed(1); r = list(csv.reader(sys.stdin)); out = csv.writer(sys.stdout); out.writerow(r[0]);"
        "out.writerows([random.choice('fm') if random.random() < .5 else a] for a, in r[1:])"
    )
    file = MechanismFile(Schema(SCHEMA.attributes[:1]), integer_groups(build("kronecker", (2,), (np.log(3),))))
    checks, _, _ = check_sampler(command_sampler(python(code), file.schema), file, 4000, starts=5, rng=np.random.default_rng(0))
    caught = {check.key: check.sentence for check in checks if check.caught}
    assert list(caught) == ["starts"]
    assert "The same 2,000 records in two calls were released alike in 100.0 %" in caught["starts"]


def test_codes_that_do_not_fit_are_refused():
    file = zoo.FILES["optimal"]
    for sampler, words in (
        (lambda codes: codes[:-1], "expected one record for each"),
        (lambda codes: codes + 1, "released a category of attribute 1 that there is not: expected 0 to 2"),
        (lambda codes: codes * 0.5, "expected one record for each, in codes"),
    ):
        with pytest.raises(InputError, match=words):
            check_sampler(sampler, file, 200, rng=np.random.default_rng(0))
