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


@pytest.mark.slow
def test_people_who_always_say_no_move_the_estimate(read):
    read.look_at("read_section", "always")
    assert "If 10.0 % of the people always say “no”, the share of “yes” among the others is 90 % (" in read.text
    slider = next(one for one in read.at.slider if one.key == "read_always_share")
    slider.set_value(30.0)
    read.run()
    assert "the answers contradict it: they allow at most" in read.text
