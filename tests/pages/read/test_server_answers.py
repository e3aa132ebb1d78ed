"""Read on tables in folders that the operator allowed: counted where they are, they say what an upload of the same answers says."""

import functools
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import rrcore as rr
from pages.shared import tables
from pages.shared.answers import folder
from pages.shared.answers.holding import HeldAnswers
from pages.shared.hosting.operator import Operator
from rrcore.__main__ import main
from rrcore.answers import count_answers, counting, read_answers, summarise_marginal, with_sample
from rrcore.errors import InputError
from rrcore.promise import randomise
from rrcore.table import pairs
from rrcore.table.stream import open_stream
from tests.answers.test_counted import FILE as PEOPLE
from tests.answers.test_counted import SAMPLES, columns_of, same

TITANIC = rr.load_demo("titanic")
FILE = rr.MechanismFile(TITANIC.schema, rr.integer_groups(rr.build("pair-safe", TITANIC.schema.sizes, [2.0] * 4)))
TABLE = randomise(FILE, TITANIC).to_arrow()


def deck(n):
    return ["upper" if row % 3 else "lower" for row in range(n)]


def _with_columns(table, n):
    """With a deck, weights and cabins that were not randomised."""
    rng = np.random.default_rng(1)
    table = table.append_column("deck", [deck(n)]).append_column("weight", [rng.uniform(0.5, 2, n)])
    return table.append_column("cabin", [rng.integers(0, 50, n)])


@pytest.fixture
def allowed(tmp_path, monkeypatch):
    """A folder that the operator allowed, with released answers and a column that was not randomised."""
    pq.write_table(_with_columns(TABLE, TITANIC.n), tmp_path / "panel.parquet")
    monkeypatch.setattr(tables, "operator", lambda: Operator(data=(str(tmp_path),)))
    return tmp_path


def given(session):
    """The mechanism file is chosen, and where the answers are."""
    session.go("read")
    session.at.file_uploader[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    session.run()
    return session.set("selectbox", "Collected answers are", "server")


def test_without_a_word_of_the_operator_only_uploads_are_offered(session):
    session.go("read")
    assert "server" not in session.text
    assert all(box.label != "Collected answers are" for box in session.at.selectbox)


@pytest.mark.slow
def test_a_table_on_the_server_is_read_as_its_upload_is(session, allowed, monkeypatch):
    monkeypatch.setattr(folder, "small_marginals", lambda schema: [(name,) for name in schema.names] + list(pairs(schema)))
    monkeypatch.setattr(counting, "cover", functools.partial(counting.cover, most=8))
    given(session).click("Count it")
    assert session.errors == []
    assert "**2,201 answers used**" in session.text
    assert "Counted where they are; no record is held." in session.text
    said = [text for text in session.text.split("\n") if text.startswith("From 2,201 answers")]
    answers = _reading(session).answers
    assert answers.held is None
    assert "rrcore read --mechanism mechanism.json --in TABLE --marginal Class,Sex" in "\n".join(
        code.value for code in session.at.code
    )
    session.look_at("read_section", "column").click("Count by this column")
    groups = next(frame.value for frame in session.at.dataframe if "Group" in frame.value.columns)
    assert groups["Group"].tolist() == ["lower (734 answers)", "upper (1,467 answers)"]
    session.set("multiselect", "Joint distribution of", ["Class", "Sex", "Age"])
    assert any("Class, Sex, Age were not counted together yet" in info.value for info in session.at.info)
    session.click("Count them together")
    assert session.errors == []
    assert _reading(session).answers.knows(["Age", "Class", "Sex"])
    session.set("multiselect", "Joint distribution of", ["Class", "Sex"])
    uploaded = (allowed / "panel.parquet").read_bytes()
    session.set("selectbox", "Collected answers are", "upload")
    session.at.file_uploader[1].set_value([("panel.parquet", uploaded, "application/octet-stream")])
    session.run()
    assert _reading(session).answers.held is not None
    assert [text for text in session.text.split("\n") if text.startswith("From 2,201 answers")] == said
    session.set("selectbox", "Collected answers are", "server").set("multiselect", "Joint distribution of", ["Class"])
    pq.write_table(_with_columns(TABLE.slice(1), TITANIC.n - 1), allowed / "panel.parquet")
    session.click("Count by this column")
    assert session.errors == ["'panel.parquet' has changed since it was counted: count it again."]


def test_counts_of_a_table_that_was_written_anew_are_not_joined(allowed):
    place = allowed / "panel.parquet"
    before = count_answers([open_stream(place)], FILE, [("Sex",)])
    more = count_answers([open_stream(place)], FILE, [("Sex", "Class")])
    assert not before.knows(["Class", "Sex"])
    assert before.joined(more).knows(["Class", "Sex"])
    pq.write_table(TABLE.slice(1), place)
    with pytest.raises(InputError, match="'panel' has changed since it was counted: count it again"):
        before.joined(count_answers([open_stream(place)], FILE, [("Sex", "Class")]))


@pytest.mark.slow
def test_the_sample_of_a_table_on_the_server_is_that_of_its_upload(session, allowed):
    """Weights and clusters, of everybody and by a column; the table is counted anew by them."""

    def found():
        groups = next(frame.value for frame in session.at.dataframe if "Group" in frame.value.columns)
        return [text for text in session.text.split("\n") if text.startswith(("From 2,201", "The sample:"))], groups.to_dict()

    given(session).click("Count it").set("selectbox", "Weights", "weight").set("selectbox", "Clusters", "cabin")
    assert "The table was not counted by these columns yet" in session.text
    assert any(text.startswith("From 2,201 answers") for text in session.text.split("\n"))
    session.click("Count by the sample").look_at("read_section", "column").set("selectbox", "By", "deck")
    session.click("Count by this column")
    assert session.errors == []
    large = found()
    assert [text.partition("answers")[0] for text in large[0]][-1] == "From 2,201 weighted "
    assert "--weights weight --clusters cabin" in "\n".join(code.value for code in session.at.code)
    session.set("selectbox", "Collected answers are", "upload")
    session.at.file_uploader[1].set_value(
        [("panel.parquet", (allowed / "panel.parquet").read_bytes(), "application/octet-stream")]
    )
    session.run()
    session.set("selectbox", "Weights", "weight").set("selectbox", "Clusters", "cabin").set("selectbox", "By", "deck")
    assert found() == large


@pytest.mark.slow
def test_lines_of_the_form_are_counted_on_the_server_too(session, allowed):
    answer = {attribute.name: attribute.categories[0] for attribute in TITANIC.schema.attributes}
    lines = [json.dumps({"mechanism": FILE.sha256, "answers": answer, "receipt": f"{i % 40:032x}"}) for i in range(50)]
    (allowed / "sent.jsonl").write_text("\n".join(lines) + "\n")
    given(session).set("selectbox", "Table on the server", "sent.jsonl").click("Count it")
    assert session.errors == []
    assert "**40 answers used**, 10 left out" in session.text
    assert all(box.label != "Weights" for box in session.at.selectbox)


@pytest.mark.slow
def test_a_regression_takes_all_records_of_a_table_on_the_server(session, allowed):
    given(session).click("Count it").go("models")
    assert "it takes all 2,201 of them" in session.text
    session.click("Read the records").set("selectbox", "Outcome", "Survived").set("multiselect", "Predictors", ["Sex"])
    assert session.errors == []
    assert "2,201 answers" in session.text
    assert any("Coefficient (95 %)" in frame.value.columns for frame in session.at.dataframe)


def _reading(session):
    return session.at.session_state[f"{HeldAnswers.__module__}.{HeldAnswers.__qualname__}"]


@pytest.mark.long
def test_five_million_answers_are_those_of_the_concatenated_table(session, tmp_path, monkeypatch, capsys):
    """Weighted shares and groups of a folder, by library, command and page, equal to those of all records held together, to 1e-9."""
    monkeypatch.setattr("rrcore.answers.reading.MAX_ROWS", 10**7)
    monkeypatch.setattr(tables, "operator", lambda: Operator(data=(str(tmp_path / "data"),)))
    people, rng = tmp_path / "data" / "people", np.random.default_rng(3)
    people.mkdir(parents=True)
    for number in range(5):
        columns = columns_of(1_000_000, rng)
        columns["weight"] = np.maximum(columns["weight"].round(2), 0.01)  # not five million different ones
        pacsv.write_csv(pa.table(columns), people / f"{number}.csv")
    sample, names = SAMPLES["clusters in strata"], ["smokes", "ill"]
    needed = ("weight", "ward", "village", "sex")
    records = with_sample(read_answers([(open_stream(people), "people")], PEOPLE, beside=needed), sample)
    counted = with_sample(count_answers([open_stream(people)], PEOPLE, [names], sample=sample, by="sex"), sample)
    same(counted, records, names)
    parts = records.split("sex")
    for value, part in parts.items():
        found, wanted = counted.split("sex")[value].estimate(["smokes"]), part.estimate(["smokes"])
        np.testing.assert_allclose(found.shares, wanted.shares, atol=1e-9)
        np.testing.assert_allclose(found.standard_error(population=True), wanted.standard_error(population=True), atol=1e-9)

    (tmp_path / "mechanism.json").write_text(PEOPLE.to_json())
    drawn = ["--weights", "weight", "--strata", "ward", "--clusters", "village", "--by", "sex", "--marginal", "smokes,ill"]
    assert main(["read", "--mechanism", str(tmp_path / "mechanism.json"), "--in", str(people), *drawn, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (marginal,) = printed["marginals"]
    table = summarise_marginal(records, names).table(population=True)
    for column in ("estimate", "standard error", "low", "high"):
        np.testing.assert_allclose(marginal["cells"][column], table[column], atol=1e-9)
    assert [(group["value"], group["answers"]) for group in printed["by"]["groups"]] == [(v, p.n) for v, p in parts.items()]
    for group in printed["by"]["groups"]:
        (found,), wanted = group["marginals"], summarise_marginal(parts[group["value"]], names).table(population=True)
        for column in ("estimate", "standard error", "low", "high"):
            np.testing.assert_allclose(found[column], wanted[column], atol=1e-9)

    session.go("read")
    session.at.file_uploader[0].set_value(("mechanism.json", PEOPLE.to_json().encode(), "application/json"))
    session.run()
    session.set("selectbox", "Collected answers are", "server").click("Count it").set("selectbox", "Weights", "weight")
    session.set("selectbox", "Strata", "ward").set("selectbox", "Clusters", "village").click("Count by the sample")
    assert session.errors == []
    same(with_sample(_reading(session).answers, sample), records, names)
    session.set("multiselect", "Joint distribution of", names).look_at("read_section", "column").set("selectbox", "By", "sex")
    session.click("Count by this column")
    assert session.errors == []
    groups = next(frame.value for frame in session.at.dataframe if "Group" in frame.value.columns)
    wanted = [f"{value} ({part.estimate(names).n:,} answers)" for value, part in parts.items()]
    assert groups["Group"].tolist() == wanted
