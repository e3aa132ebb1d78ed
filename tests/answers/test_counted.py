"""Collected answers that are only counts say what the answers with all their records say."""

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import CountedAnswers, collection_dict, count_answers, pair_summaries, summarise_marginal
from rrcore.errors import InputError
from rrcore.estimate import shares_together
from rrcore.promise.weights import MatrixWeights
from rrcore.table.stream import count, open_stream


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
    assert isinstance(only, CountedAnswers)
    assert (only.n, only.incomplete, only.left_out) == (records.n, records.incomplete, records.left_out)
    assert shares_together(only, "how often") == shares_together(records, "how often")
    one, two = (collection_dict(each, [summarise_marginal(each, ["sex"])], pair_summaries(each)) for each in (records, only))
    assert one.pop("left_out") != two.pop("left_out")  # reasons are not told apart
    assert one == two


def test_answers_of_another_survey_are_refused(collected, tmp_path):
    file, _, _ = collected
    (tmp_path / "other.csv").write_text("how often,age\n" + "black,31\nwhite,45\n" * 20)
    with pytest.raises(InputError, match=r"'other' has no column 'sex', which the mechanism file asks for"):
        count_answers([open_stream(tmp_path / "other.csv")], file, [("sex",)])
    (tmp_path / "wrong.csv").write_text("how often,sex\n" + "31,x\n45,y\n" * 20)
    with pytest.raises(InputError, match="None of the 40 rows can be used"):
        count_answers([open_stream(tmp_path / "wrong.csv")], file, [("sex",)])
    with pytest.raises(InputError, match="No file is given"):
        count_answers([], file, [("sex",)])


def test_categories_that_batches_cannot_tell_apart_are_refused(tmp_path):
    schema = rr.Schema((rr.Attribute("q", ("=1", "'=1", "''=1")),))
    (tmp_path / "answers.csv").write_text("q\n" + "'=1\n''=1\n" * 20)
    stream = open_stream(tmp_path / "answers.csv", header=True)
    file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (3,), [1.0])))
    with pytest.raises(
        InputError, match="'q' has the categories =1 and '=1, and the second is how a CSV file may write the first"
    ):
        count_answers([stream], file, [("q",)])
    with pytest.raises(InputError, match="cannot be told apart"):
        count(stream, schema, [("q",)])
