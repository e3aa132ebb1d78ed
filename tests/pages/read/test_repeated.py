"""Read: what always saying no would mean, and the change since an earlier wave."""

import pytest

from rrcore.designs import read_design
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema

FILE = MechanismFile(Schema((Attribute("smokes", ("no", "yes")),)), (((0,), read_design("smokes", "warner", 2, "4/5")),))
FIRST = "person,smokes\n" + "\n".join(f"p{i},{'yes' if i % 3 == 0 else 'no'}" for i in range(600))
SECOND = "person,smokes\n" + "\n".join(f"p{i},{'yes' if i % 3 != 1 else 'no'}" for i in range(600))


@pytest.fixture
def read(session):
    session.go("read")
    uploads = session.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    uploads[1].set_value([("second.csv", SECOND.encode(), "text/csv")])
    return session.run()


def _earlier(read, table):
    next(one for one in read.at.file_uploader if one.key == "read_waves_answers").set_value(
        ("first.csv", table.encode(), "text/csv")
    )
    read.run()


@pytest.mark.slow
def test_people_who_always_say_no_move_the_estimate(read):
    read.look_at("read_section", "always")
    assert "If 10.0 % of the people always say “no”, the share of “yes” among the others is 90 % (" in read.text
    slider = next(one for one in read.at.slider if one.key == "read_always_share")
    slider.set_value(30.0)
    read.run()
    assert "the answers contradict it: they allow at most" in read.text


@pytest.mark.slow
def test_the_change_since_an_earlier_wave(read):
    read.look_at("read_section", "waves")
    assert "Choose the answers of an earlier wave" in "\n".join(info.value for info in read.at.info)
    _earlier(read, FIRST)
    assert "Between 600 and 600 answers the share of “smokes: yes” changed: 22.2 %, then 77.8 %" in read.text
    choice = next(one for one in read.at.selectbox if one.label == "The same people are found by")
    choice.set_value("person")
    read.run()
    assert "Among 600 people asked twice" in read.text
    moves = next(frame.value for frame in read.at.dataframe if "smokes (first)" in frame.value.columns)
    assert len(moves) == 4
    assert not any("p17" in str(frame.value.to_csv()) for frame in read.at.dataframe)


@pytest.mark.slow
def test_an_earlier_wave_is_weighted_as_the_present_one(read):
    weighted = FIRST.replace("smokes\n", "smokes,weight\n", 1).replace("yes", "yes,3").replace(",no", ",no,1")
    read.at.file_uploader[1].set_value([("second.csv", weighted.encode(), "text/csv")])
    read.run()
    read.set("selectbox", "Weights", "weight")
    read.look_at("read_section", "waves")
    _earlier(read, weighted)
    assert "may not have changed: 66.7 %, then 66.7 %" in read.text  # 200 of weight 3 and 400 of weight 1: 60 % released
    _earlier(read, FIRST)
    assert "22.2 %, then 66.7 %" in read.text
    assert any("Of the earlier answers: There is no column 'weight' for the weights" in error.value for error in read.at.error)
