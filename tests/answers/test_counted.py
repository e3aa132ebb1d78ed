"""Collected answers that are counted in batches say what the answers with all their records say."""

import io
import json
import zipfile

import numpy as np
import pytest

import rrcore as rr
import rrcore.answers
from rrcore.answers import (
    FormLines,
    KnownTotals,
    SampleColumns,
    count_answers,
    pair_summaries,
    read_answers,
    summarise_marginal,
    with_sample,
)
from rrcore.auditing import check_answers
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.estimate import merged_shares
from rrcore.estimate.regression import fit
from rrcore.promise import integer_groups, release_table
from rrcore.promise.weights import MatrixWeights
from rrcore.table.opening import open_stream


@pytest.fixture
def collected(tmp_path):
    """Answers to two questions of which one has reports of its own, some of them missing, as a file."""
    asked = rr.Schema((rr.Attribute("how often", ("never", "seldom", "often")), rr.Attribute("sex", ("f", "m"))))
    reported = rr.Schema((rr.Attribute("how often", ("black", "white")), rr.Attribute("sex", ("f", "m"))))
    weights = (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))), ((1,), MatrixWeights(((3, 1), (1, 3)))))
    file, rng = rr.MechanismFile(asked, weights, reports=reported), np.random.default_rng(3)
    rows = zip(rng.choice(["black", "white", ""], 500, p=[0.5, 0.4, 0.1]), rng.choice(["f", "m", "?"], 500), strict=True)
    content = ("how often,sex\n" + "".join(f"{one},{two}\n" for one, two in rows)).encode()
    (tmp_path / "answers.csv").write_bytes(content)
    return file, rr.read_answers([(content, "answers.csv")], file), open_stream(tmp_path / "answers.csv")


def test_answers_with_reports_of_their_own_are_read_from_counts_alike(collected):
    file, records, stream = collected
    only = count_answers([stream], file, [("how often",), ("sex",), ("how often", "sex")])
    assert only.release.records is None
    assert records.release.records is not None
    assert (only.n, only.incomplete, only.left_out) == (records.n, records.incomplete, records.left_out)
    assert merged_shares(only.release, "how often").to_dict() == merged_shares(records.release, "how often").to_dict()
    one, two = (summarise_marginal(each, ["sex"]).table() for each in (records, only))
    assert {name: list(column) for name, column in one.items()} == {name: list(column) for name, column in two.items()}
    assert pair_summaries(records).to_dicts() == pair_summaries(only).to_dicts()


def test_answers_of_another_survey_are_refused(collected, tmp_path):
    file, _, _ = collected
    (tmp_path / "other.csv").write_text("how often,age\n" + "black,31\nwhite,45\n" * 20)
    with pytest.raises(InputError, match=r"'other' has no column 'sex'"):
        count_answers([open_stream(tmp_path / "other.csv")], file, [("sex",)])
    (tmp_path / "wrong.csv").write_text("how often,sex\n" + "31,x\n45,y\n" * 20)
    with pytest.raises(InputError, match="None of the 40 rows can be used"):
        count_answers([open_stream(tmp_path / "wrong.csv")], file, [("sex",)])
    with pytest.raises(InputError, match="No file"):
        count_answers([], file, [("sex",)])


def test_categories_that_batches_cannot_tell_apart_are_refused(tmp_path):
    schema = rr.Schema((rr.Attribute("q", ("=1", "'=1", "''=1")),))
    (tmp_path / "answers.csv").write_text("q\n" + "'=1\n''=1\n" * 20)
    stream = open_stream(tmp_path / "answers.csv", header=True)
    file = rr.MechanismFile(schema, integer_groups(build("independent", (3,), [1.0])))
    with pytest.raises(InputError, match="'q' has the categories =1 and '=1"):
        count_answers([stream], file, [("q",)])


SCHEMA = rr.Schema(
    (rr.Attribute("smokes", ("no", "yes")), rr.Attribute("age", ("young", "old")), rr.Attribute("ill", ("a", "b", "c")))
)
FILE = rr.MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, [1.0, 2.0, 1.5])))
SIZES = KnownTotals(("ward",), tuple((str(ward),) for ward in range(6)), (1e4, 2e4, 5e4, 1e4, 2e4, 3e4))


def columns_of(n, rng):
    """A table of answers to three questions, with columns that say how people were drawn;
    some give no answer, some an odd one."""
    wards = rng.integers(0, 6, n)
    columns = {
        "smokes": rng.choice(["no", "yes", "", "maybe"], n, p=[0.5, 0.4, 0.08, 0.02]),
        "age": rng.choice(["young", "old", ""], n, p=[0.6, 0.3, 0.1]),
        "ill": rng.choice(["a", "b", "c", ""], n, p=[0.3, 0.3, 0.3, 0.1]),
    }
    silent = rng.random(n) < 0.1
    columns = {name: np.where(silent, "", column) for name, column in columns.items()}
    weights = rng.gamma(2, 3, n).round(6)
    villages = wards * 10 + rng.integers(0, 10, n)
    sex = rng.choice(["f", "m"], n)
    columns |= {"weight": weights, "ward": wards, "village": villages, "sex": sex}
    return columns | {"place": rng.choice(["here", "there"], n)}


def rows_of(n, rng):
    """The head and the rows of such a table, as a file writes them."""
    table = columns_of(n, rng)
    return ",".join(table), [",".join(row) for row in zip(*(column.astype(str) for column in table.values()), strict=True)]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """As one table, and as a folder of several."""
    head, rows = rows_of(6_000, np.random.default_rng(11))
    folder = tmp_path_factory.mktemp("people")
    for number, start in enumerate(range(0, 6_000, 1_500)):
        (folder / f"{number}.csv").write_text("\n".join([head, *rows[start : start + 1_500]]) + "\n")
    return "\n".join([head, *rows]).encode(), folder


@pytest.fixture(scope="module")
def opened(people):
    """The folder, looked through once."""
    return open_stream(people[1])


@pytest.fixture(scope="module")
def whole(people):
    """Answers with all their records, of no sample yet."""
    return read_answers([(people[0], "people.csv")], FILE)


SAMPLES = {
    "simple": SampleColumns(),
    "weights": SampleColumns(weights="weight"),
    "strata": SampleColumns(weights="weight", strata="ward"),
    "strata alone": SampleColumns(strata="ward"),
    "clusters": SampleColumns(weights="weight", clusters="village"),
    "clusters in strata": SampleColumns(weights="weight", strata="ward", clusters="village"),
    "a finite population": SampleColumns(weights="weight", strata="ward", populations=SIZES),
    "weights that are strata": SampleColumns(weights="ward", strata="ward"),
}


def same(one, other, names):
    """Estimates, errors and effects of a marginal are the same to 1e-9."""
    assert (one.n, one.incomplete) == (other.n, other.incomplete)
    first, second = one.estimate(names), other.estimate(names)
    assert first.n == second.n
    for what in (lambda e: e.shares, lambda e: e.blend().shares, lambda e: np.stack(e.blend().interval(population=True))):
        np.testing.assert_allclose(what(first), what(second), atol=1e-5)
    for population in (True, False):
        np.testing.assert_allclose(first.std_error(population=population), second.std_error(population=population), atol=1e-9)
    assert first.design_effect == pytest.approx(second.design_effect, abs=1e-9)
    assert (one.sample is None) == (other.sample is None)
    if one.sample is not None:
        assert one.sample.words() == other.sample.words()
        assert one.sample.kish_effect == pytest.approx(other.sample.kish_effect, abs=1e-9)
        assert one.sample.freedom == other.sample.freedom


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_samples_and_groups_are_those_of_the_concatenated_table(opened, whole, sample):
    records = with_sample(whole, sample)
    wanted = [("smokes",), ("smokes", "ill"), ("age",)]
    kinds = count_answers([opened], FILE, wanted, sample=sample, by="sex")
    assert {each.reason: each.rows for each in kinds.rejected} == {each.reason: each.rows for each in records.rejected}
    for names in wanted:
        same(kinds, records, names)
    own, parts = kinds.split("sex"), records.split("sex")
    assert list(own) == list(parts) == ["f", "m"]
    for value, part in parts.items():
        first, second = own[value].estimate(["smokes", "ill"]), part.estimate(["smokes", "ill"])
        np.testing.assert_allclose(first.shares, second.shares, atol=1e-9)
        np.testing.assert_allclose(first.std_error(population=True), second.std_error(population=True), atol=1e-9)


def test_lines_of_the_form_are_read_a_part_at_a_time(tmp_path, monkeypatch):
    """Compared with a table; each receipt once, wherever a part ends."""
    monkeypatch.setattr("rrcore.answers.json_lines.MAX_LINES_BYTES", 1_000)
    rng, lines = np.random.default_rng(5), []
    for person in range(120):
        answers = {"smokes": str(rng.choice(["no", "yes"])), "age": "old", "ill": str(rng.choice(["a", "b", "z"]))}
        lines.append(json.dumps({"mechanism": FILE.sha256, "answers": answers, "receipt": f"{person % 100:032x}"}))
    content = ("\n".join(lines) + "\n\nrubbish").encode()
    (tmp_path / "answers.jsonl").write_bytes(content)
    (tmp_path / "more.csv").write_text("smokes,age,ill\nno,old,a\nyes,young,b\n")
    table = open_stream(tmp_path / "more.csv", header=True)
    records = read_answers([(content, "answers.jsonl"), ((tmp_path / "more.csv").read_bytes(), "more.csv")], FILE)
    kinds = count_answers([FormLines(str(tmp_path / "answers.jsonl"), "answers.jsonl"), table], FILE, [("smokes", "ill")])
    same(kinds, records, ["smokes", "ill"])
    assert set(kinds.rejected) == set(records.rejected)
    with pytest.raises(InputError, match="column 'ward'"):
        count_answers([table, FormLines(str(tmp_path / "answers.jsonl"), "a.jsonl")], FILE, [("smokes",)], by="ward")


def test_a_sample_that_cannot_be_is_refused_in_the_same_words(people, tmp_path):
    head, rows = rows_of(100, np.random.default_rng(2))
    gone = [row.replace(row.split(",")[3], "", 1) if number in (3, 7) else row for number, row in enumerate(rows)]
    for content, columns in [
        ([head, *gone], SampleColumns(weights="weight")),
        ([head, *rows], SampleColumns(weights="place")),
        ([head, *rows], SampleColumns(weights="gone")),
    ]:
        (tmp_path / "a.csv").write_text("\n".join(content) + "\n")
        said = []
        for read in (
            lambda: read_answers([((tmp_path / "a.csv").read_bytes(), "a.csv")], FILE),
            lambda columns=columns: count_answers([open_stream(tmp_path / "a.csv")], FILE, [("smokes",)], sample=columns),
        ):
            with pytest.raises(InputError) as refused:
                with_sample(read(), columns)
            said.append(str(refused.value))
        assert said[0].split(" ")[:3] == said[1].split(" ")[:3]


def test_kinds_of_people_are_not_taken_for_records(opened):
    """Where something goes through single records, answers that are only counted are refused, also part of them."""
    kinds = count_answers([opened], FILE, [("smokes", "age", "ill")], by="sex")
    for only in (kinds, kinds.split("sex")["f"]):
        assert only.release.records is None
        assert len(only.release.blocks[0].codes) < only.n
        assert fit("smokes ~ age", only).nobs == only.counts(["smokes", "age"]).sum()
        with pytest.raises(InputError, match="individual records"):
            check_answers(only, rng=np.random.default_rng(0))


def test_what_was_not_counted_is_not_known(opened):
    kinds = count_answers([opened], FILE, [("smokes",)], by="sex")
    assert kinds.counts("smokes").sum() > 0
    with pytest.raises(InputError, match="smokes, age"):
        kinds.estimate(["smokes", "age"])
    with pytest.raises(InputError, match="'sax'"):
        count_answers([opened], FILE, [("smokes",)], by="sax")


@pytest.mark.parametrize("by", ["", "town"])
def test_questions_split_among_people_are_counted(tmp_path, by):
    """Nobody answered both questions: each is read from who answered it, and the pair says that nobody did."""
    rng, schema = np.random.default_rng(5), rr.Schema(SCHEMA.attributes[:2])
    file = rr.MechanismFile(schema, integer_groups(build("independent", (2, 2), [1.0, 2.0])))
    one, other = rng.choice(["no", "yes"], 2_000), rng.choice(["young", "old"], 2_000)
    rows = [line for pair in zip(one, other, strict=True) for line in (f"{pair[0]},,a", f",{pair[1]},b")]
    (tmp_path / "split.csv").write_text("\n".join(["smokes,age,town", *rows]) + "\n")
    found = count_answers([open_stream(tmp_path / "split.csv")], file, [("smokes",), ("age",), ("smokes", "age")], by=by)
    assert (found.n, found.incomplete, found.left_out) == (4_000, 4_000, 0)
    assert found.estimate(["smokes"]).n == found.estimate(["age"]).n == 2_000
    assert found.counts(["smokes"]).tolist() == [int((one == "no").sum()), int((one == "yes").sum())]
    with pytest.raises(InputError, match="no randomized answers"):
        found.estimate(["smokes", "age"])


def test_names_of_choices_are_read_at_any_size(tmp_path):
    """As forms of ODK write them."""
    schema = rr.Schema((rr.Attribute("my health", ("very good", "fair")),))
    file = rr.MechanismFile(schema, integer_groups(build("independent", (2,), [1.0])))
    content = b"my health,town\n" + b"very_good,a\nfair,b\nvery good,b\nbad,b\n" * 50
    (tmp_path / "choices.csv").write_bytes(content)
    large = count_answers([open_stream(tmp_path / "choices.csv")], file, [("my health",)])
    small = read_answers([(content, "choices.csv")], file)
    for found in (large, small):
        assert (found.counts(["my health"]).tolist(), found.left_out) == ([100, 50], 50)


def member(archive, ending):
    with zipfile.ZipFile(io.BytesIO(archive.to_zip())) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(ending))
        return opened.read(name).decode()


def test_a_file_of_a_folder_that_was_cut_short_is_named(tmp_path):
    table = rr.load_demo("titanic").select(["Sex", "Survived"])
    file = rr.MechanismFile(table.schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
    for number in range(3):
        lines = member(release_table(file, table), ".csv").splitlines(keepends=True)
        (tmp_path / f"{number}.csv").write_text("".join(lines[:-1] if number == 1 else lines))
    with pytest.raises(InputError, match=r"The file '.*1\.csv' is truncated"):
        count_answers([open_stream(tmp_path)], file, [("Sex",)])


def test_questions_that_some_answered_together_are_read_together_though_nobody_answered_all(tmp_path):
    file = rr.MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, [1.0, 2.0, 1.5])))
    (tmp_path / "split.csv").write_text("smokes,age,ill\n" + "no,young,\nyes,old,\nno,old,\n,,a\n,,b\n" * 40)
    found = count_answers([open_stream(tmp_path / "split.csv")], file, [("smokes",), ("ill",), ("smokes", "age")])
    assert found.counts(["smokes", "age"]).tolist() == [[40, 40], [0, 40]]
    assert found.estimate(["smokes", "age"]).closest().shares.sum() == pytest.approx(1)
    assert found.estimate(["ill"]).n == 80
