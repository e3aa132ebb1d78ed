"""The invitation to print promises no more than the survey keeps."""

from __future__ import annotations

import pytest

from rrcore.asking import LANGUAGES, invitation_page
from rrcore.asking.languages import language
from rrcore.table.schema import Attribute

REGION = Attribute("region", ("north", "south"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_that_chance_protects_all_answers_is_printed_where_it_does(code):
    sentence = language(code).html("invitation", "protected")

    def printed(**options):
        page = invitation_page("https://survey.example.org", title="Pilot", language_code=code, **options)
        assert "$" not in page
        return sentence in page

    assert printed()
    assert not printed(unrandomized=[REGION])
