"""Closing a survey on a hosted dashboard through a real websocket: a visitor, somebody logged in, somebody named, forged messages."""

import datetime as dt

import numpy as np
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.field import invented_survey
from tests.ports import free_port
from tests.serving.conftest import serving
from tests.serving.provider import provider
from tests.serving.test_login import AUTH, Person
from tests.serving.visitor import Browser, Tab

KEY = "7K3QD-9XW2M-4HTRC"
SURE = "No more answers are wanted: close it for good"
OPERATOR = 'hosts = ["rr.example.org"]\nsurveys = "."\nrun_surveys = ["Ada@example.org"]\ncontact = "the desk"\n'


def survey(folder):
    invented = invented_survey(dt.date.today(), rng=np.random.default_rng(1))
    store = create_store(str(folder / "pilot.survey"), invented.mechanism, title="Pilot", closing_key=KEY)
    rows = invented.answers.dataset.codes[:40].tolist()
    store.add([Submission(tuple(row), bytes([i])) for i, row in enumerate(rows)], dt.date.today())
    return store


class Asked(Tab):
    """A tab that knows its widgets by their labels, and sends what it likes."""

    def until(self, wanted):
        def note(message):
            element = message.delta.new_element
            kind = element.WhichOneof("type")
            if kind in ("checkbox", "selectbox", "text_input"):
                found = getattr(element, kind)
                self.buttons[found.label] = found
            block = message.delta.add_block
            if block.WhichOneof("type") == "expandable" and block.expandable.id:
                self.buttons[block.expandable.label] = block.expandable
            return wanted(message)

        return super().until(note)

    def send(self, *, page="field", **values):
        """Run the page with these values of widgets, by their ids; True is a press where it is a button."""
        sent = BackMsg()
        sent.rerun_script.page_name = page
        for id, (kind, value) in values.items():
            state = sent.rerun_script.widget_states.widgets.add()
            state.id = id
            setattr(state, kind, value)
        self.texts.clear()
        self.socket.send(sent.SerializeToString())
        self.until(lambda message: message.WhichOneof("type") == "new_session")
        done = ForwardMsg.FINISHED_SUCCESSFULLY  # not early, to be run once more, and not a part of the page alone
        self.until(lambda message: message.WhichOneof("type") == "script_finished" and message.script_finished == done)
        return self

    @property
    def told(self):
        return " ".join(self.texts).replace(":small[]", "").replace("\\", "")

    def choose(self):
        """Open the survey."""
        survey = {self.buttons["Survey"].id: ("string_value", "pilot.survey")}
        return self.send(**survey, **{self.buttons["Open"].id: ("trigger_value", True)})

    def close(self, key):
        """Open the survey, unfold, tick, type and press; each as a browser does."""
        self.send()
        self.choose()
        self.send(**{self.buttons["Close the survey"].id: ("bool_value", True)})
        self.send(**self.filled(key))
        return self.press(key)

    def filled(self, key):
        """What is unfolded, ticked and typed then."""
        return {
            self.buttons["Close the survey"].id: ("bool_value", True),
            self.buttons[SURE].id: ("bool_value", True),
            self.buttons["Key of the survey"].id: ("string_value", key),
        }

    def press(self, key):
        """Press with this key, where all the rest is done."""
        return self.send(**self.filled(key), **{self.buttons["Close it now"].id: ("trigger_value", True)})


@pytest.mark.slow
@pytest.mark.long
def test_only_whom_the_operator_named_closes_a_survey_and_only_with_its_key(tmp_path):
    store, port = survey(tmp_path), free_port()
    with provider().running() as asked:
        (tmp_path / "secrets.toml").write_text(AUTH.format(port=port, issuer=asked.issuer), encoding="utf-8")
        (tmp_path / "operator.toml").write_text(OPERATOR + 'secrets = "secrets.toml"\n', encoding="utf-8")
        with serving(tmp_path, "--operator", "operator.toml", port=port):
            asked.person, asked.more = "ada", {"email": "ada@example.org", "email_verified": True}
            ada = Person(port)
            ada.log_in()
            with ada.tab() as socket:
                tab = Asked(socket)
                assert "This is not the key of this survey" in tab.close("7K3QD-9XW2M-4HTRD").told
                known = dict(tab.buttons)
            assert store.closed is None

            for claims in (
                {"email": "ada@example.org", "email_verified": False},
                {"email": "eve@example.org", "email_verified": True},
            ):
                asked.person, asked.more = "eve", claims
                eve = Person(port)
                eve.log_in()
                with eve.tab() as socket:
                    tab = Asked(socket)
                    tab.send()
                    tab.choose()
                    assert "40 answers" in tab.told
                    assert "Close it now" not in tab.buttons
                    forged = {
                        known["Close the survey"].id: ("bool_value", True),
                        known[SURE].id: ("bool_value", True),
                        known["Key of the survey"].id: ("string_value", KEY),
                        known["Close it now"].id: ("trigger_value", True),
                    }
                    tab.send(**forged)
                    tab.send(**forged)
                assert open_store(store.place).closed is None

            with ada.tab() as socket:
                assert "Answers that come now are refused" in Asked(socket).close(KEY).told
    assert open_store(store.place).closed == dt.date.today()
    assert [(act.act, act.who) for act in store.acts()][1:] == [("wrong key", "ada@example.org"), ("closed", "ada@example.org")]


@pytest.mark.slow
@pytest.mark.long
def test_where_nobody_logs_in_a_survey_is_looked_at_and_not_closed(tmp_path):
    """The finding: a visitor closed a running survey for good."""
    store = survey(tmp_path)
    (tmp_path / "operator.toml").write_text(OPERATOR, encoding="utf-8")
    with serving(tmp_path) as own, Browser(own.port).tab() as socket:  # one's own: to learn what the widgets are called there
        tab = Asked(socket)
        assert "This is not the key of this survey" in tab.close("7K3QD-9XW2M-4HTRD").told
        known = dict(tab.buttons)
    with serving(tmp_path, "--operator", "operator.toml") as hosted, Browser(hosted.port).tab() as socket:
        tab = Asked(socket)
        tab.send()
        tab.choose()
        assert "40 answers" in tab.told
        assert "and nobody logs in here: ask the desk." in tab.told
        kinds = {"Close the survey": ("bool_value", True), SURE: ("bool_value", True), "Key of the survey": ("string_value", KEY)}
        forged = {known[label].id: value for label, value in kinds.items()}
        tab.send(**forged, **{known["Close it now"].id: ("trigger_value", True)})
        assert "Close it now" not in tab.buttons
    assert open_store(store.place).closed is None
