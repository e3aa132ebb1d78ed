"""The R script against the library, run by R; the do-file for Stata, which is not at hand, by a translation of what its lines say."""

import csv
import io
import os
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.errors import InputError
from rrcore.promise.trailer import Trailer, dataset_parts, new_draw, write_release
from rrcore.promise.weights import CountWeights, LieWeights
from rrcore.report import r_script, stata_do_file
from rrcore.table import Attribute, Dataset, Impossible, Schema

FORMATS = Path(__file__).parents[1] / "formats" / "files"
MECHANISMS = sorted(FORMATS.glob("mechanism-*.json"))


def rscript() -> str:
    found = shutil.which("Rscript")
    if found is None:
        (pytest.fail if os.environ.get("RR_REQUIRE_R") else pytest.skip)("R is not installed: install r-base-core")
    return found


def table_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def drawn(file: rr.MechanismFile, n: int, seed: int) -> Dataset:
    """Reports of people whose true answers are skewed, some of which are missing in the table that is written."""
    rng = np.random.default_rng(seed)
    sizes = file.schema.sizes
    true = np.column_stack([rng.choice(size, p=np.arange(size, 0, -1) / (size * (size + 1) / 2), size=n) for size in sizes])
    return Dataset(file.reports, rr.promise.sampler.randomise_codes(file, true.astype(np.int32), rng.bytes))


def saved(folder: Path, file: rr.MechanismFile, people: Dataset) -> None:
    """The mechanism file and the answers as ``rrcore answers`` writes them, with their trailer."""
    (folder / "mechanism.json").write_text(file.to_json(), encoding="utf-8")
    with (folder / "answers.csv").open("wb") as out:
        write_release(out, file.reports, dataset_parts(people), Trailer(file.sha256, people.n, new_draw()), kind="csv")


def asked_of(file: rr.MechanismFile) -> list[tuple[str, ...]]:
    """Each question, and some two and three together, in an order that is not the file's."""
    names = file.schema.names
    pairs = [pair[::-1] for pair in combinations(names[:4], 2)]
    return [*((name,) for name in names[:6]), *pairs, *([names[2::-1]] if len(names) > 2 else [])]


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script on the command line."""
    (folder / "shares.R").write_text(r_script(), encoding="utf-8")
    command = [rscript(), "shares.R", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", timeout=60, env={**os.environ, **environment}, check=False
    )


def compared(folder: Path, files: dict[str, rr.MechanismFile], n: int = 700) -> int:
    """Every marginal of every file by one run of R; the number of shares that were held against the library's."""
    driver, wanted = ["source('shares.R')"], {}
    (folder / "shares.R").write_text(r_script(), encoding="utf-8")
    for seed, (name, file) in enumerate(files.items()):
        (folder / name).mkdir()
        saved(folder / name, file, drawn(file, n, seed))
        answers = rr.read_answers(folder / name / "answers.csv", file)
        driver.append(f"file <- rr_mechanism('{name}/mechanism.json'); answers <- rr_answers('{name}/answers.csv', file)")
        for number, asked in enumerate(asked_of(file)):
            channel = file.marginal_channel(file.schema.axes(asked))
            if channel.lost() or np.prod(channel.sizes) > 400 or file.schema.impossible_cells(asked).any():
                continue
            out = f"{name}/{number}.csv"
            places = ", ".join(str(file.schema.names.index(each) + 1) for each in asked)
            driver.append(
                f"write.csv(rr_shares(file, answers, names(file$questions)[c({places})])[c('share', 'standard_error')], '{out}')"
            )
            wanted[out] = answers.uncorrected.estimate(asked)
    (folder / "driver.R").write_text("\n".join(driver), encoding="utf-8")
    subprocess.run([rscript(), "driver.R"], cwd=folder, check=True, timeout=120)
    for out, estimate in wanted.items():
        rows = list(csv.DictReader((folder / out).open(encoding="utf-8")))
        for column, expected in (("share", estimate.shares), ("standard_error", estimate.standard_error(population=True))):
            found = np.array([float(row[column]) for row in rows]).reshape(expected.shape, order="F")
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8, err_msg=out)
    return sum(estimate.shares.size for estimate in wanted.values())


def test_r_gives_the_same_shares_and_errors_for_every_mechanism_file_that_was_ever_written(tmp_path):
    assert compared(tmp_path, {path.stem: rr.MechanismFile.open(path) for path in MECHANISMS}) > 300


def test_r_reads_weights_too_large_for_its_numbers_and_each_question_where_combinations_cannot_occur(tmp_path):
    rng = np.random.default_rng(3)
    schema = Schema(tuple(Attribute(f"q{i}", tuple("abc")) for i in range(4)))
    large = CountWeights((3, 3, 3, 3), (3, 1), tuple(int(w) << 1000 for w in (90, 20, 7, 3, 2, 1, 1, 1)))
    lies = sorted({format(number, "04b"): int(rng.integers(1, 9)) << 140 for number in range(0, 16, 3)}.items())
    married = Schema(
        (Attribute("age", ("under 16", "16 and over")), Attribute("married", ("no", "yes"))),
        (Impossible(("married", "age"), (("yes", "under 16"),)),),
    )
    files = {
        "large": rr.MechanismFile(schema, (((0, 1, 2, 3), large),)),
        "lies": rr.MechanismFile(schema, (((3, 1, 0, 2), LieWeights((3, 3, 3, 3), 40 << 140, tuple(lies))),)),
        "married": rr.MechanismFile(married, rr.integer_groups(rr.build("pair-safe", (2, 2), [1.0, 2.0]))),
    }
    assert compared(tmp_path, files) > 100


def test_r_refuses_joint_shares_where_combinations_cannot_occur(tmp_path):
    schema = Schema(
        (Attribute("age", ("under 16", "16 and over")), Attribute("married", ("no", "yes"))),
        (Impossible(("married", "age"), (("yes", "under 16"),)),),
    )
    file = rr.MechanismFile(schema, rr.integer_groups(rr.build("pair-safe", (2, 2), [1.0, 2.0])))
    saved(tmp_path, file, drawn(file, 50, 1))
    done = run(tmp_path, "mechanism.json", "answers.csv", "age", "married")
    assert done.returncode == 1
    assert "declared impossible" in done.stderr


def test_r_smooths_errors_as_the_library_does_where_answers_are_few_or_all_alike(tmp_path):
    schema = Schema((Attribute("smokes", ("no", "yes")), Attribute("region", ("a", "b", "c"))))
    weak = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2, 3), [0.7, 4.0])))
    sure = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2, 3), [9.0, 9.0])))
    assert compared(tmp_path, {"weak": weak, "sure": sure}, n=12) == 22


def test_r_reads_lines_of_the_form_and_leaves_out_what_the_library_leaves_out(tmp_path):
    file = rr.MechanismFile.open(FORMATS / "mechanism-v1-mixed-groups.json")
    lines = (FORMATS / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    spoilt = lines[0].replace(file.sha256, "0" * 64)
    content = "\n".join([*lines, *lines[:3], spoilt, ""])
    (tmp_path / "answers.jsonl").write_text(content, encoding="utf-8")
    rows = table_of(run(tmp_path, str(FORMATS / "mechanism-v1-mixed-groups.json"), "answers.jsonl", LC_ALL="C").stdout)
    answers = rr.read_answers((content.encode(), "answers.jsonl"), file)
    names = dict.fromkeys(row["question"] for row in rows)
    assert list(names) == [name for name in file.schema.names if not file.marginal_channel(file.schema.axes([name])).lost()]
    for name in names:
        estimate, own = answers.estimate([name]), [row for row in rows if row["question"] == name]
        assert [row["answer"] for row in own] == list(estimate.schema.attributes[0].categories)
        assert {int(row["answers"]) for row in own} == {estimate.n}
        np.testing.assert_allclose([float(row["share"]) for row in own], estimate.shares, atol=1e-8)
        found = [float(row["standard_error"]) for row in own]
        np.testing.assert_allclose(found, estimate.standard_error(population=True), atol=1e-8)


def test_r_reads_a_table_that_a_spreadsheet_saved(tmp_path):
    """Byte order mark, semicolons, CRLF, a column more, spoilt cells."""
    file = rr.MechanismFile.open(FORMATS / "mechanism-v1-mixed-groups.json")
    content = (FORMATS / "collected-with-region.csv").read_bytes()
    (tmp_path / "answers.csv").write_bytes(content)
    answers = rr.read_answers((content, "answers.csv"), file)
    name = file.schema.names[0]
    rows = table_of(run(tmp_path, str(FORMATS / "mechanism-v1-mixed-groups.json"), "answers.csv", name).stdout)
    assert {int(row["answers"]) for row in rows} == {answers.estimate([name]).n}
    np.testing.assert_allclose([float(row["share"]) for row in rows], answers.estimate([name]).shares, atol=1e-8)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace("rr-workbench mechanism", "something"), "is no mechanism file"),
        (lambda text: text.replace('"version": 1', '"version": 6'), "of version 6"),
        (lambda text: text[: len(text) // 2], "ends too early"),
        (lambda text: re.sub('"sha256": "[0-9a-f]+"', f'"sha256": "{"0" * 64}"', text), "another mechanism file"),
        (
            lambda text: text.replace('"name": "smokes"', '"name": "drinks"').replace('["smokes"]', '["drinks"]'),
            "no column 'drinks'",
        ),
    ],
)
def test_r_refuses_with_a_sentence(tmp_path, spoil, said):
    file = rr.MechanismFile(
        Schema((Attribute("smokes", ("no", "yes")),)), rr.integer_groups(rr.build("kronecker", (2,), [1.0])), note="a note"
    )
    saved(tmp_path, file, drawn(file, 50, 1))
    text = (tmp_path / "mechanism.json").read_text()
    (tmp_path / "mechanism.json").write_text(spoil(text))
    done = run(tmp_path, "mechanism.json", "answers.csv")
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())


def test_scores_average_to_the_shares_so_that_the_package_survey_can_weigh_them(tmp_path):
    file, rng = nigeria().mechanism, np.random.default_rng(5)
    people = drawn(file, 400, 2)
    saved(tmp_path, file, people)
    weights = rng.integers(1, 9, people.n)
    (tmp_path / "weights.csv").write_text("w\n" + "\n".join(map(str, weights)))
    (tmp_path / "shares.R").write_text(r_script(), encoding="utf-8")
    code = (
        "source('shares.R'); file <- rr_mechanism('mechanism.json'); answers <- rr_answers('answers.csv', file);"
        "w <- read.csv('weights.csv')$w;"
        "s <- rr_scores(file, answers, names(file$questions)); cat(sprintf('%.15g', colSums(s * w) / sum(w)))"
    )
    done = subprocess.run([rscript(), "-e", code], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60)
    released = np.bincount(people.codes[:, 0], weights=weights, minlength=2) / weights.sum()
    np.testing.assert_allclose(
        [float(each) for each in done.stdout.split()], file.marginal_channel((0,)).invert(released), atol=1e-10
    )


# --- Stata ------------------------------------------------------------------------------------------------------------------------


def unquoted(text: str) -> str:
    """What Stata takes a compound string for."""
    assert text.startswith('`"')
    assert text.endswith("\"'")
    return text[2:-2].replace("\\$", "$").replace("\\`", "`")


def by_stata(code: str, table: list[dict[str, str]]) -> dict[str, tuple[list[float], list[float]]]:
    """Column -> means and standard errors, by what the lines of the do-file say: a translation, since no Stata is at hand."""
    column, variables, found = "", dict[str, list[float]](), {}
    for line in code.splitlines():
        if (match := re.search(r"inlist\(strtrim\(subinstr\(`each'.*?\)\), (`\".*\"')\) local column", line)) is not None:
            [column] = table[0].keys() & {unquoted(text) for text in re.split(r"(?<=\"'), (?=`\")", match[1])}
        elif (match := re.fullmatch(r"generate double (\w+) = \.", line)) is not None:
            variables[match[1]] = [float("nan")] * len(table)
        elif (match := re.fullmatch(r"replace (\w+) = (\S+) if strtrim\(`column'\) == (`\".*\"') & _n > 1", line)) is not None:
            for row, own in enumerate(table):
                if own[column].strip() == unquoted(match[3]):
                    variables[match[1]][row] = float(match[2])
        elif line.startswith("mean "):
            values = np.array([variables[name] for name in line.split()[1:]])
            values = values[:, ~np.isnan(values).any(axis=0)]
            found[column.removeprefix("'")] = (
                values.mean(axis=1).tolist(),
                (values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])).tolist(),
            )
    return found


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
def test_the_do_file_says_how_to_come_to_the_same_shares(path, tmp_path):
    file = rr.MechanismFile.open(path)
    saved(tmp_path, file, drawn(file, 700, 4))
    answers = rr.read_answers(tmp_path / "answers.csv", file)
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as lines:
        found = by_stata(stata_do_file(file), list(csv.DictReader(lines)))
    assert found
    for name, (shares, errors) in found.items():
        estimate = answers.uncorrected.estimate([name])
        np.testing.assert_allclose(shares, estimate.shares, atol=1e-10)
        inside = ((estimate.shares > 0) & (estimate.shares < 1)).all()
        np.testing.assert_allclose(errors, estimate.standard_error(population=True), rtol=0.05 if inside else 0.5)


def test_what_no_string_of_stata_holds_is_refused():
    file = rr.MechanismFile(Schema((Attribute("a\nb", ("no", "yes")),)), rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    with pytest.raises(InputError, match="cannot stand in a do-file"):
        stata_do_file(file)
