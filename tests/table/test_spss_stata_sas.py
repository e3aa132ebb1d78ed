"""SPSS, Stata and SAS: labels become categories, damaged files a sentence, and nothing goes to disk."""

import base64
import datetime as dt
import sys
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table import read_text_table, recode
from rrcore.table.opening import first_rules, open_file, open_stream
from rrcore.table.recoding import value_names
from rrcore.table.scanning import survey

pandas = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat", reason="needs rr-workbench[files]")

FRAME = pandas.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, np.nan] * 5,
        "mood": [0.0, 5.0, 10.0, 3.0] * 5,
        "age": [31.0, 45.5, 31.0, 60.0] * 5,
        "text": ["x", "y", "x", ""] * 5,
    }
)
LABELS = {"sex": {1: "male", 2: "female", 9: "refused"}, "mood": {0: "worst", 10: "best"}}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labeled")
    asked = {"sex": "Sex of the respondent"}
    pyreadstat.write_sav(
        FRAME, folder / "a.sav", variable_value_labels=LABELS, column_labels=asked, variable_measure={"mood": "ordinal"}
    )
    pyreadstat.write_dta(FRAME, folder / "a.dta", variable_value_labels={"sex": LABELS["sex"]}, column_labels=asked)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_labels_become_the_possible_answers(files, name):
    table = read_text_table(files[name], name)
    assert (table.title, table.n, table.names) == ("a", 20, ("sex", "mood", "age", "text"))
    dataset = recode(table, first_rules(table))
    sex, mood, age, _ = dataset.schema.attributes
    assert sex.categories == ("male", "female", "(missing)")  # nobody has the third label
    assert dataset.shares(["sex"]).tolist() == [0.5, 0.25, 0.25]
    assert table.column("sex").question == "Sex of the respondent"
    if name == "a.sav":
        assert (mood.categories, mood.kind) == (("worst", "3", "5", "best"), "ordinal")
    assert age.categories == ("31", "45.5", "60")
    assert table.column("text").missing == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_a_damaged_file_gives_one_sentence(files, name):
    """The C library behind pyreadstat crashes on some of these: that is why it has a process of its own."""
    data, rng = files[name], np.random.default_rng(3)
    broken = bytearray(data)
    for place in rng.integers(5, len(broken), 12):
        broken[place] = int(rng.integers(256))
    for piece in (bytes(broken), data[: len(data) // 2]):
        with suppress(InputError):
            assert read_text_table(piece, name).n > 0


CODES = {"q": [1.0, 2.0, 3.0, 9.0, 98.0], "r": [1.0, 2.0, 3.0, 1.0, 2.0]}
MEANING = {"q": {1: "agree", 2: "agree", 3: "no", 9: "refused", 98: "away"}, "r": {1: "2", 3: "x"}}
DAYS = [dt.date(2020, 1, 1), None, dt.date(2021, 1, 1), None, None]


def written(name, frame, **more):
    write = {"por": pyreadstat.write_por, "xpt": pyreadstat.write_xport, "dta": pyreadstat.write_dta}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, name)
        write.get(name.rpartition(".")[2], pyreadstat.write_sav)(pandas.DataFrame(frame), place, **more)
        return read_text_table(place.read_bytes(), name)


@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.por", "a.dta", "a.xpt"])
def test_values_and_dates_of_every_package(name):
    more = {"row_compress": True} if name == "a.zsav" else {}
    found = written(name, {"q": [1.0, 2.5, 1.0, np.nan, 2.5], "day": DAYS, "dose": np.float32([0.1, 0.2, 0.1, 0.2, 0.1])}, **more)
    values = [(each.name.lower(), each.values, each.missing) for each in found.columns]
    assert values == [("q", ("1", "2.5"), 1), ("day", ("2020-01-01", "2021-01-01"), 3), ("dose", ("0.1", "0.2"), 0)]


def test_declared_codes_and_ranges_of_spss_are_missing():
    found = written("a.sav", CODES, variable_value_labels=MEANING, missing_ranges={"q": [9, {"lo": 97, "hi": 99}]})
    assert (found.column("q").values, found.column("q").missing) == (("1", "2", "3"), 2)
    assert found.column("q").labels == (("1", "agree"), ("2", "agree"), ("3", "no"))
    assert value_names(found.column("q")) == {"1": "agree (1)", "2": "agree (2)", "3": "no"}
    assert value_names(found.column("r")) == {"1": "2 (1)", "3": "x"}


def test_missing_letters_of_stata_are_missing():
    labels = {"q": {1: "yes", 2: "no", "a": "refused"}}
    frame = pandas.DataFrame({"q": [1, 2, "a", "z", 1]}, dtype=object)
    found = written("a.dta", frame, variable_value_labels=labels, missing_user_values={"q": ["a", "z"]}).column("q")
    assert (found.values, found.missing, found.labels) == (("1", "2"), 2, (("1", "yes"), ("2", "no")))


@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_an_impossible_date_is_a_missing_cell(name):
    """pyreadstat refuses the whole file for one such date."""
    far = 6.3e12 if name == "a.sav" else 7e7
    form = {"variable_format": {"day": "DATE11" if name == "a.sav" else "%td"}}
    start = 13797216000.0 if name == "a.sav" else 21915.0
    found = written(name, {"q": ["a", "b", "a"], "day": [start, far, start]}, **form)
    assert found.n == 3
    assert (found.column("day").values, found.column("day").missing) == (("2020-01-01",), 1)


# written by the C library behind pyreadstat, which Python cannot ask for this format
SAS = (
    "c-muNK!8K98WT2)2%g_NiGzXjxM7ckynvvw5`(cZBa<N`M2QFk12ZFvxG|%$F@uN*g90-n%$#7yU<Ef%A6FO05XWHG5CvR-fdByMM^dNo&FqdN5{(K3Aea"
    "$N*iz5H#K6$k)F(5qv;s-oSkKTv&p_AE(9A&3&`{41-M9)1vv@NT6d?s4zkF91Mpr*$*PVZ8?i>Z9U=)mkQ7{Td!6+C7qhJ(_f>AIE1`U{r=(nN(X?7@si"
    "I0IBNZsIpa5b1w)g6F}OQ7k`;DXQ*OsL{KQ1KX;0JOt?gA+oVpo#ZD#eLAkL!jaoXyPJJaR)T_T;aejK81idn(<KZ!5-}Qw5tyO#X0$iF$xy2F=ZPjI0oh"
    "CrozQ9{;0>UeiV#?Q7{Td!6+C7F!1m9e=wkzej5fhD%h{Vzzfq4(f(fr%9nxC%s|M<0Bb<~|If^T+Bo_H)n|cbGPo(i!pOjZ#uq^0qnZUZ>OZ2Pp#p8gSU"
    "_Fi!oY%N&tIq>4}_2i`kW1TPA9}Qpb%t2zCvYwsX}pXes(ITL6nkM37WHUwbWx^D9JC+!{#}d*)Y4=X_SU|*ipk2)_!9{YtONv`JEBXedzrEXzEze)Ul$a"
    "0Y)@`qVu6ijbK{)MWni)|0&BmLk)Zb0!ZFM1>b=H+){_~dC}wr4U|y&EzCH~M;Dht&T}9jfGY2YmQMbUu=t==f0R@J%V$hzd@eLT4;r5jjn6?dpK>6Tzam"
    "KX@POGeMB2;(bSWc{L`~l-aHe1Mt}Fms@9vT"
)


def test_a_sas_file_has_its_values_and_the_wording_of_questions():
    found = read_text_table(zlib.decompress(base64.b85decode(SAS)), "a.sas7bdat")
    values = [(each.name, each.values, each.missing, each.question) for each in found.columns]
    town = ("town", ("Oslo", "Rome"), 0, "")
    assert values == [("q", ("1", "2.5"), 1, "Do you smoke?"), ("day", ("2020-01-01",), 1, ""), town]  # one date is impossible


@pytest.mark.parametrize(("name", "library"), [("a.sav", "pyreadstat"), ("a.dta", "pyreadstat")])
def test_without_the_extra_one_sentence_says_what_to_install(files, monkeypatch, name, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"needs {library}. Install rr-workbench\[files\]"):
        open_file(files[name], name).read()


@pytest.mark.parametrize("content", [b"X\n\0\0\0\3", b"RDX3\nX\n"])
def test_a_file_of_r_is_refused_with_what_to_do(content):
    with pytest.raises(InputError, match="CSV or Parquet"):
        read_text_table(content, "a.rds")


def test_a_file_read_in_batches_goes_by_the_same_labels(files, tmp_path):
    place = tmp_path / "a.sav"
    place.write_bytes(files["a.sav"])
    source = open_stream(place)
    found = survey(source).coder(["sex", "mood"])
    whole = rr.read_table(place, columns=["sex", "mood"])
    assert found.schema == whole.schema
    assert np.array_equal(np.concatenate([found(batch) for batch in source.parts[0].batches()]), whole.codes)
