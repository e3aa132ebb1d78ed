"""Budget: what asking the same people again would give away."""

import pytest


@pytest.mark.slow
def test_three_ways_of_asking_again_stand_beside_each_other(session):
    session.go("budget")
    session.look_at("budget_section", "again")
    assert "Asked 4 times and randomised anew each time, a record that stays the same shifts odds at most" in session.text
    assert "proves that the record has changed" in session.text
    rows = next(frame.value for frame in session.at.dataframe if "Chance is drawn" in frame.value.columns)
    fresh, memoised, _ = rows["A change, within"].tolist()
    assert float(memoised.split()[0]) < float(fresh.split()[0])
    assert rows["... and if it did not"].tolist()[1] == "0.0 %"
