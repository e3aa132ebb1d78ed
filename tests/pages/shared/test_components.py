"""Every figure of a page has the buttons that save it."""


def test_every_figure_has_its_buttons(session):
    session.go("keyvalue").set("number_input", "Users", 1_000)
    components = [one.proto.component_name for one in session.at.get("bidi_component")]
    assert components.count("rr_workbench.save_figure") == len(session.figures) == 1
    assert "key-frequencies" in session.figures
