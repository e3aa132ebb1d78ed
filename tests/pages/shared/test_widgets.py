"""Widgets that more than one page shows."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from pages.shared import widgets
    from rrcore.errors import InputError

    @widgets.complaining
    def section(number: int) -> str:
        """A section."""
        st.text(f"begins {number}")
        if number == 2:
            raise InputError("There is no second one.")
        st.text(f"ends {number}")
        return f"made {number}"

    st.text(f"{section.__name__}: {section.__doc__}")
    for number in (1, 2, 3):
        st.text(str(section(number)))


def test_a_section_in_which_something_is_wrong_says_so_and_the_next_one_follows() -> None:
    app = AppTest.from_function(page).run()
    said = [each.value for each in app.main if each.type in ("text", "alert", "error")]
    assert said == [
        "section: A section.",
        "begins 1",
        "ends 1",
        "made 1",
        "begins 2",
        "There is no second one.",
        "None",
        "begins 3",
        "ends 3",
        "made 3",
    ]
    assert not app.exception
