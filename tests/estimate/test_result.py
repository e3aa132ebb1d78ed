"""Rows with a confidence interval."""

import numpy as np
import pytest

from rrcore.estimate import Result

ONE = np.array([0.25, np.nan])


@pytest.fixture
def found():
    ends = {"conf_low": ONE - 0.1, "conf_high": ONE + 0.1}
    return Result(labels={"n": ["<a>", "b"]}, columns={"n": [40, 3]}, estimate=ONE, std_error=ONE, **ends, share=False)


def test_a_result_is_a_table_of_its_columns(found):
    columns = found.to_dict()
    assert list(columns) == ["n (answer)", "n", "estimate", "std_error", "conf_low", "conf_high"]
    assert columns["estimate"] == [0.25, None]
    assert found.to_pandas().columns.tolist() == list(columns) == found.to_arrow().column_names


def test_a_result_shows_and_draws_itself(found):
    assert "&lt;a&gt;" in found._repr_html_()
    assert "0.25 (0.15 to 0.35)" in repr(found)
    (trace, *_) = found.plot(dark=True).data
    assert trace.x[0] == 0.25
