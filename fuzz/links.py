"""Links: the parameters of an address, with which a session begins."""

import logging
from urllib.parse import parse_qsl

from pages.shared.address import open_link

logging.getLogger("streamlit").setLevel(logging.CRITICAL)

SEEDS = [
    b"table=titanic&levels=Class:2,Sex:1.5&mechanism=pair-safe&marginal=Class,Sex&seed=3&people=100&planned=5",
    b"table=haireye&total=4&questions=Hair*Eye,Sex",
    b"table=berkeley&mechanism=3-safe&levels=Dept:30&total=60",
    b"told=0.7&asked=10&seed=99999999999999999999&people=0",
]


def check(data: bytes) -> None:
    """Every parameter is followed, or a sentence says why not."""
    given = dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))
    assert all("\n" not in sentence and sentence.endswith(".") for sentence in open_link(given))
