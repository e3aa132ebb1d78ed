"""Budget, "Choosing a level": one press away, the plan's own numbers first, numbers that sort."""

from rrcore.designs.deployments import published
from rrcore.wording import total_text


def test_the_plans_levels_stand_beside_published_ones(session):
    session.go("budget").look_at("budget_section", "choosing")
    table = session.at.dataframe[-1].value
    own = table[table["Who"] == "You"]
    plan = session.at.session_state["work"].plan()
    assert own["Level (nats)"].tolist()[:-1] == [round(level, 2) for level in plan.levels]
    work = session.at.session_state["work"]
    assert own["Level (nats)"].tolist()[-1] == float(total_text(plan.with_mechanism(work.wishes.mechanism).build().total_level))
    assert own["What"].tolist() == [*plan.schema.names, "the whole record"]
    assert len(table) == len(own) + len(published())
    assert all(
        table[name].dtype.kind == "f" for name in ("Level (nats)", "Guesses of 100", "Within (points)")
    )  # which sort as numbers
    assert table["Guesses of 100"].between(50, 100).all()
    assert "desfontain" in session.text
    session.set("slider", "Scale all levels", 0.5)
    halved = session.at.dataframe[-1].value
    assert halved["Level (nats)"].tolist()[0] == round(plan.levels[0] / 2, 2)
