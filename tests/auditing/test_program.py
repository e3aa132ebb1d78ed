"""Somebody else's program as a sampler: rrcore itself, programs that cheat, and programs that do not do what they are asked."""

import sys
from shlex import join

import numpy as np
import pytest

from rrcore.auditing import program_sampler
from rrcore.auditing.frequencies import Runs, check_frequencies
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("sex", ("f", "m")), Attribute("job, if any", ("=none", "a, b", "-3"))))
FILE = MechanismFile(SCHEMA, integer_groups(build("preserving-2", (2, 3), (1.0, 1.0))))
TRUE = np.array([[0, 1], [1, 2], [1, 0]], dtype=np.int32)


def python(code):
    return join([sys.executable, "-IS", "-c", code])  # without what is installed: it is started a hundred times


ECHO = "import sys; sys.stdout.write(sys.stdin.read())"


def test_records_go_and_come_as_csv_whatever_the_categories():
    np.testing.assert_array_equal(program_sampler(python(ECHO), FILE)(TRUE), TRUE)


def test_columns_may_come_in_another_order_and_with_others_between():
    code = "import csv, sys; r = list(csv.reader(sys.stdin)); csv.writer(sys.stdout).writerows([b, 'x', a] for a, b in r)"
    np.testing.assert_array_equal(program_sampler(python(code), FILE)(TRUE), TRUE)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("", "empty"),
        ("python 'mine.py", "quotation"),
        ("no-such-program-here", "no-such-program-here"),
        (python("print(1); raise ValueError('my mistake')"), "ValueError: my mistake"),
        (python("import time; time.sleep(9)"), "--timeout"),
        (python("import sys; sys.stdin.read()"), "empty"),
        (python("import sys; sys.stdout.write(sys.stdin.read() + 'f,-3')"), "got 4"),
        (python("print(''.join(open(0).readlines()[:-1]), end='')"), "got 2"),
        (python("print(open(0).read().replace('sex', 'age'))"), "'sex'"),
        (python("print(open(0).read().replace('m,', 'x,'))"), "'sex'"),
        (python("print(open(0).read().replace(',-3', ''))"), "1 value"),
        (python("import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\xff')"), "sampler"),
    ],
)
def test_what_goes_wrong_is_named(command, word):
    with pytest.raises(InputError, match="sampler") as error:
        program_sampler(command, FILE, seconds=0.3 if "sleep" in command else 60)(TRUE)
    assert word in str(error.value)


@pytest.mark.long
def test_rrcore_release_can_itself_be_audited(tmp_path):
    """False alarm: 1e-6."""
    path = tmp_path / "mech.json"
    path.write_text(FILE.to_json(), encoding="utf-8")
    command = join([sys.executable, "-m", "rrcore", "release", "--mechanism", str(path)])
    command += " --in /dev/stdin --out /dev/stdout"
    runs = Runs.of(program_sampler(command, FILE), FILE, 3000, rng=np.random.default_rng(0))
    assert not any(check.caught for check in check_frequencies(runs, alpha=1e-6))


def test_a_program_that_seeds_itself_is_caught_by_its_second_run():
    code = (
        "import csv, random, sys; random.seed(1); r = list(csv.reader(sys.stdin)); out = csv.writer(sys.stdout); out.writerow(r[0]);"
        "out.writerows([random.choice('fm') if random.random() < .5 else a] for a, in r[1:])"
    )
    file = MechanismFile(Schema(SCHEMA.attributes[:1]), integer_groups(build("independent", (2,), (np.log(3),))))
    runs = Runs.of(program_sampler(python(code), file), file, 4000, rng=np.random.default_rng(0))
    caught = [check for check in check_frequencies(runs, alpha=1e-3) if check.caught]
    assert [check.title for check in caught] == ["Independence of records and runs"]
    assert caught[0].p_value < 1e-50
