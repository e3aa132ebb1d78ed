"""A dashboard without a proxy and one address that opens more than it is given: whoever comes from elsewhere is served."""

import pytest

from tests.crowd import HALF, crowd, ended, served_in_time, wait_for
from tests.serving.conftest import serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crowd")
    (folder / "operator.toml").write_text("unfinished_per_address = 100\nunfinished_seconds = 8\n", encoding="utf-8")
    with serving(folder, "--operator", "operator.toml") as started:
        yield started


def test_two_thousand_half_sent_requests_of_one_address_end_and_keep_nobody_out(server):
    """The finding: all of them stayed open, for as long as they liked."""
    with crowd(server.port, 2000, HALF) as connections:
        assert served_in_time(server.port)
        wait_for(lambda: ended(connections) == 2000, 60)
