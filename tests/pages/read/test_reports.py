"""Read with a mechanism file whose reports are not the answers."""

import numpy as np
import pytest

from rrcore.promise.sampler import randomise
from rrcore.table.dataset import Dataset
from tests.pages.read.test_read_page import choose, section, shown
from tests.promise.test_reports import kuk, narrow, people


@pytest.fixture
def read(session):
    return session.go("read")


@pytest.mark.slow
def test_kuks_cards_are_read_and_what_was_reported_has_a_table_of_its_own(read):
    choose(read, kuk(), ("released.csv", randomise(kuk(), people(3000)).to_csv().encode()))
    assert not read.at.exception
    assert read.errors == []
    rows = shown(read, "Shrinkage (95 %)")
    assert "Released" not in rows.columns
    assert rows["drugs"].tolist() == ["no", "no", "yes", "yes"]
    reports = shown(read, "Released")
    assert len(reports) == 26 * 2
    for name in ("pairs", "within", "column"):
        section(read, name)
        assert not read.at.exception


@pytest.mark.slow
def test_answers_that_look_alike_are_read_together(read):
    true = np.random.default_rng(0).integers(0, 3, (400, 1)).astype(np.int32)
    choose(read, narrow(), ("released.csv", randomise(narrow(), Dataset(narrow().schema, true)).to_csv().encode()))
    assert not read.at.exception
    assert "only the share of 'never' and 'seldom' together and that of 'often' can be estimated" in read.errors[0]
    assert "- 'never' or 'seldom': " in read.text
