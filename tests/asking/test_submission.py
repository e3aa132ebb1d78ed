"""The sentence that a respondent reads after sending: it says "not sent" only if the answer cannot have arrived."""

import json
import subprocess
from pathlib import Path

from tests.programs import node

HERE = Path(__file__).parent


def test_an_answer_that_may_be_stored_is_not_called_not_sent():
    """A reply that is lost, and a server or proxy that gives up, come after an answer may have been stored; sent again it counts once."""
    expected = {
        None: "unconfirmed",
        500: "unconfirmed",
        502: "unconfirmed",
        503: "unconfirmed",
        504: "unconfirmed",
        400: "error_from",
        403: "error_from",
        404: "error_from",
        410: "closed",
        423: "paused",
        429: "too_many",
        200: "sent_to",
    }
    program = [node(), str(HERE / "form_submission.mjs")]
    done = subprocess.run(program, input=json.dumps(list(expected)).encode(), capture_output=True, check=True)
    assert json.loads(done.stdout) == list(expected.values())
