"""A respondent fills in the form in Chromium: from a file, without a network, and with an address to send to."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from rrcore.asking import respondent_form
from rrcore.asking.chosen_screens import PLAIN
from rrcore.budget import build
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests.browser.steps import DESKTOP, give, to_questions

pytestmark = pytest.mark.browser

VECTORS = Path(__file__).parents[1] / "asking" / "form_vectors.json"
PHONE = {"width": 390, "height": 844}
AREAS = tuple(f"Area {number}" for number in range(1, 15))
QUESTIONS = {
    "smokes": "Have you smoked in the last 30 days?",
    "health": "How would you describe your health?",
    "area": "Where do you live?",
    "bribe": "Have you paid a bribe in the last 12 months?",
}
INTRODUCTION = "This survey is about health and daily life in the city.\nIt takes two minutes, and taking part is voluntary."


def survey() -> MechanismFile:
    """Three coupled questions and one answered with a die (1: say No, 6: say Yes, else the truth)."""
    schema = Schema(
        (
            Attribute("smokes", ("No", "Yes")),
            Attribute("health", ("Good", "Fair", "Poor"), "ordinal"),
            Attribute("area", AREAS),
            Attribute("bribe", ("No", "Yes")),
        )
    )
    coupled = build("preserving-2", schema.sizes[:3], (1.0, 1.5, 2.0))
    return MechanismFile(schema, (*integer_groups(coupled), ((3,), MatrixWeights(((5, 1), (1, 5))))))


class Inbox(ThreadingHTTPServer):
    """A place that answers are posted to; remembers every request."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, dict[str, str], str]] = []
        self.asked: list[str] = []
        self.status = 200
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Inbox

    def do_OPTIONS(self) -> None:
        self._answer(204)

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8")
        self.server.posted.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self._answer(self.server.status)

    def _answer(self, status: int) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "Content-Type")
        if status in range(300, 400):
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: answers are not for logs."""


@pytest.fixture
def inboxes() -> Iterator[tuple[Inbox, Inbox]]:
    servers = (Inbox(), Inbox())
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield servers
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[object]:
    """visit(html, **context options): the form opened from a file; requests for anything else are kept in page.asked."""
    contexts: list[BrowserContext] = []

    def opened(html: str, **options: object) -> tuple[Page, list[str]]:
        path = tmp_path / "form.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**({"viewport": DESKTOP} | options))
        contexts.append(context)
        page = context.new_page()
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: asked.append(f"error: {error}"))
        page.on("console", lambda message: asked.append(message.text) if message.type in {"error", "warning"} else None)
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        asked.clear()
        return page, asked

    yield opened
    for context in contexts:
        context.close()


TRUE = (1, 2, 8, 1)
"""Answers: smokes Yes, health Poor, area 9, bribe Yes."""


def answer(page: Page) -> None:
    give(page, *TRUE)


def randomized(page: Page) -> dict[str, object]:
    to_questions(page)
    answer(page)
    page.get_by_role("button", name="Let chance decide").click()
    expect(page.get_by_role("heading", name="Your response")).to_be_focused()
    return json.loads(page.locator("#record").input_value())


ANSWERED = """async ([codes, afterwards]) => {
  const press = (id) => document.getElementById(id).click(), record = document.getElementById("record");
  press("start");
  while (document.getElementById("questions").hidden) {
    await new Promise((done) => setTimeout(done));
    document.querySelector("section:not([hidden]) [data-go='1']")?.click();
  }
  for (const [i, code] of codes.entries()) {
    const asked = document.querySelectorAll(`[name=q${i}]`);
    if (asked[0].tagName === "SELECT") asked[0].selectedIndex = 1 + code;
    else asked[code].click();
    if (!document.getElementById("onward").hidden) press("onward");
  }
  press("randomize");
  while (!record.value) await new Promise((done) => setTimeout(done));
  afterwards.forEach(press);
  return record.value;
}"""
"""Gives the answers with these codes and presses buttons afterwards; without the mouse, whose ways took most of the time."""

SCREENS_SEEN = ["before", "practice", "question 1", "question 2", "question 3", "question 4", "report"]


def screens_in(page: Page) -> Iterator[str]:
    """Goes through the screens of ``form``, each as it looks when it was used."""
    yield "before"
    page.locator("#start").click()
    page.locator("#trying label").first.click()
    page.locator("#trying button").click()
    yield "practice"
    page.locator("#practice [data-go='1']").click()
    for number in range(1, 5):
        question = page.locator(f"#question{number - 1}")
        if number == 3:
            question.locator("select").select_option("8")
        else:
            question.locator("input").last.check()
        yield f"question {number}"
        page.locator("#onward" if number < 4 else "#randomize").click()
    expect(page.locator("#report")).to_be_visible()
    yield "report"


def form(address: str = "", **options: object) -> str:
    texts = {"title": "Health in the city", "introduction": INTRODUCTION, "questions": QUESTIONS}
    return respondent_form(survey(), **texts | {"address": address} | options)


def test_full_pass_without_a_network(visit, tmp_path):
    file = survey()
    page, asked = visit(form(), offline=True, accept_downloads=True)
    expect(page.get_by_role("heading", name="Health in the city")).to_be_visible()
    to_questions(page)
    expect(page.get_by_role("heading", name="Question 1 of 4", exact=True)).to_be_focused()
    answer(page)
    page.get_by_role("button", name="Let chance decide").click()
    expect(page.get_by_role("heading", name="Your response")).to_be_focused()
    expect(page.get_by_text("Chance may have changed any of these answers")).to_be_visible()

    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download as a file").click()
    assert re.fullmatch(r"answer-[0-9a-f]{16}\.json", downloading.value.suggested_filename)
    expect(page.get_by_role("status")).to_contain_text("Saved as answer-")
    text = Path(downloading.value.path()).read_text(encoding="utf-8")
    assert text.count("\n") == 1
    record = json.loads(text)
    assert record["mechanism"] == file.sha256
    assert list(record["answers"]) == list(file.schema.names)
    for attribute in file.schema.attributes:
        assert record["answers"][attribute.name] in attribute.categories
    shown = page.locator("#released dt + dd").all_text_contents()
    assert shown == list(record["answers"].values())
    assert page.locator("#released dd + dd").count() == 4
    assert [entry for entry in asked if not entry.startswith("blob:")] == []


def test_no_true_answer_is_left_after_randomizing(visit):
    page, asked = visit(form())
    list(screens_in(page))  # practice and check are used on the way
    record = json.loads(page.locator("#record").input_value())
    expect(page.locator("input, select, #practice")).to_have_count(0)
    assert asked == []
    page.evaluate("for (const part of document.querySelectorAll('#data, #released, #record')) part.remove()")
    left = page.content() + page.evaluate("Array.from(document.querySelectorAll('*'), (e) => e.value || '').join()")
    assert "Area 9" not in left
    assert "Poor" not in left
    assert set(record["answers"]) == set(QUESTIONS)
    state = page.evaluate(
        "async () => [localStorage.length, sessionStorage.length, document.cookie, JSON.stringify(history.state), location.search,"
        " location.hash, (await indexedDB.databases()).length]"
    )
    assert state == [0, 0, "", "null", "", "", 0]


def test_answers_are_randomized_once(visit):
    page, _ = visit(form())
    randomized(page)
    expect(page.get_by_role("button", name="Let chance decide")).to_have_count(0)
    expect(page.get_by_text("start over")).to_be_visible()
    assert page.evaluate("typeof randomizeOnce") == "undefined"  # nothing of the form itself can be called from outside
    page.go_back()
    page.go_forward()
    assert page.evaluate("document.querySelectorAll(':checked[name]').length") == 0


def test_missing_answers_are_pointed_out(visit):
    page, _ = visit(form(screens=PLAIN))
    to_questions(page)
    page.get_by_label("Fair").check()
    page.get_by_role("button", name="Let chance decide").click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("3 questions have no answer yet:")
    expect(page.get_by_text("Choose an answer.", exact=True).filter(visible=True)).to_have_count(3)
    described = page.get_by_label(QUESTIONS["area"])
    expect(described).to_have_attribute("aria-invalid", "true")
    expect(described).to_have_accessible_description("Choose an answer.")
    summary.get_by_role("link", name=QUESTIONS["area"]).click()
    expect(described).to_be_focused()
    described.select_option("Area 1")
    expect(page.get_by_text("Choose an answer.", exact=True).filter(visible=True)).to_have_count(2)
    assert page.locator("#record").input_value() == ""
    for group in page.locator("#answers fieldset").all():
        group.locator("input").first.check()
    page.locator("#randomize").click()
    expect(page.locator("#released dd")).to_have_count(4)


def test_keyboard_alone_is_enough(visit):
    page, _ = visit(form(), accept_downloads=True)

    def tab_to(name: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("(document.activeElement.textContent || '').trim()") == name:
                return
        raise AssertionError(f"'{name}' cannot be reached by Tab")

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    tab_to("Start")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press("Enter", "Tab", "ArrowDown")  # practice: Yes
    tab_to("Let chance decide")
    press("Enter", "Space")
    expect(page.locator("#tally")).to_have_text(re.compile(r"So far: kept.[012], changed.[012]\."))
    expect(page.get_by_role("button", name="Let chance decide")).to_be_focused()
    tab_to("Next")
    press("Enter")
    press("Tab", "ArrowDown", "Enter")  # smokes: Yes; Enter leads on
    expect(page.get_by_role("heading", name="Question 2 of 4")).to_be_focused()
    tab_to("Back")
    press("Enter")
    expect(page.get_by_role("heading", name="Question 1 of 4")).to_be_focused()
    tab_to("Next")
    press("Enter", "Tab", "Space")  # health: Good
    tab_to("Next")
    press("Enter", "Tab", "ArrowDown")  # area: the first one
    tab_to("Next")
    press("Enter", "Tab", "Space")  # bribe: No
    tab_to("Let chance decide")
    press("Enter")
    expect(page.get_by_role("heading", name="Your response")).to_be_focused()
    tab_to("Download as a file")
    with page.expect_download():
        press("Enter")


def test_sampler_reproduces_the_vectors_in_the_browser(visit):
    page, _ = visit(form())
    wrong = page.evaluate(
        """({ mechanisms, cases }) => cases.filter(({ mechanism, codes, bytes, released }) => {
          const given = Uint8Array.from(bytes.match(/../g) || [], (hex) => parseInt(hex, 16));
          let used = 0;
          const found = randomize(mechanisms[mechanism], codes, (count) => given.subarray(used, (used += count)));
          return found.join() !== released.join() || used !== given.length;
        }).length""",
        json.loads(VECTORS.read_text(encoding="utf-8")),
    )
    assert wrong == 0


def test_record_keeps_strange_names_in_order_on_one_line(visit):
    names = (
        "10",
        "2",
        "__proto__",
        "a\u2028b\x85",
        "</script><script>window.hacked = 1</script>",
        "'\"><img src=x onerror='window.hacked=1'>",
    )
    schema = Schema(tuple(Attribute(name, (name, "\U0001d54f\u2029\n")) for name in names))
    file = MechanismFile(schema, integer_groups(build("independent", schema.sizes, [1.0] * len(names))))
    page, asked = visit(respondent_form(file, title=names[4], introduction=names[5], questions={"10": names[4]}))
    expect(page).to_have_title(names[4])
    to_questions(page)
    give(page, *[0] * len(names))
    page.get_by_role("button", name="Let chance decide").click()
    text = page.locator("#record").input_value()
    assert len(text.splitlines()) == 1
    record = json.loads(text)
    assert tuple(record["answers"]) == names
    assert all(record["answers"][attribute.name] in attribute.categories for attribute in schema.attributes)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert asked == []


def test_what_is_handed_in_is_a_report_where_that_is_no_answer(visit):
    reports = Schema((Attribute("drugs", ("red", "black", "white")),))
    weights = MatrixWeights(((3, 3, 0), (0, 0, 6)))
    file = MechanismFile(Schema((Attribute("drugs", ("no", "yes")),)), (((0,), weights),), reports=reports)
    page, _ = visit(respondent_form(file, title="Cards"))
    to_questions(page)
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Let chance decide").click()
    expect(page.locator("#released")).to_contain_text("white")
    assert json.loads(page.locator("#record").input_value())["answers"] == {"drugs": "white"}


def test_copy_gives_the_same_text_or_selects_it_where_that_is_forbidden(visit):
    page, _ = visit(form(), permissions=["clipboard-read", "clipboard-write"])
    randomized(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#record").input_value()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_contain_text("Copy it yourself")
    assert page.evaluate("getSelection().toString()") == page.locator("#record").input_value()


def test_answers_go_to_the_typed_address_and_nowhere_else(visit, inboxes):
    inbox, other = inboxes
    page, _ = visit(form(f"{inbox.address}/answers?survey=7"), permissions=[])
    record = randomized(page)
    assert inbox.asked == []
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text(f"Sent to 127.0.0.1:{inbox.server_port}, which has confirmed it.")
    expect(page.get_by_role("button", name="Sent")).to_be_disabled()
    [(path, headers, body)] = inbox.posted
    assert path == "/answers?survey=7"
    assert json.loads(body) == record
    assert headers["content-type"] == "application/json"
    assert not {"cookie", "authorization", "referer"} & set(headers)

    for target in (other.address, "http://localhost:1/", "data:,x"):
        blocked = page.evaluate(
            "(target) => fetch(target, { mode: 'no-cors' }).then(() => 'sent', (error) => error.name)", target
        )
        assert blocked == "TypeError"
    page.evaluate(
        """(target) => {
          const image = new Image();
          image.src = target + "/image";
          document.body.append(image);
          const script = document.createElement("script");
          script.textContent = "window.hacked = 1";
          document.body.append(script);
          navigator.sendBeacon(target + "/beacon", "x");
        }""",
        other.address,
    )
    page.wait_for_timeout(300)
    assert other.asked == []
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("status", [307, 404])  # without invitations 404 is about no code
def test_nothing_is_lost_when_sending_fails(visit, inboxes, status):
    inbox, _ = inboxes
    inbox.status = status
    page, _ = visit(form(f"{inbox.address}/answers"), accept_downloads=True)
    record = randomized(page)
    page.get_by_role("button", name="Send").click()
    sentence = "was not sent" if status == 404 else "It counts only once"  # of the others it is not known
    expect(page.get_by_role("status")).to_contain_text(sentence)
    assert "GET /elsewhere" not in inbox.asked
    assert "POST /elsewhere" not in inbox.asked
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download as a file").click()
    assert json.loads(Path(downloading.value.path()).read_text(encoding="utf-8")) == record
    inbox.status = 200
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("Sent to")
    assert json.loads(inbox.posted[-1][2]) == record


def test_without_a_network_sending_says_so(visit, inboxes):
    page, _ = visit(form(f"{inboxes[0].address}/answers"), offline=True)
    randomized(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("No confirmation came from 127.0.0.1")
    assert inboxes[0].posted == []


def test_without_javascript_it_says_why_there_are_no_questions(visit):
    page, _ = visit(form(), java_script_enabled=False)
    expect(page.get_by_text("This form needs JavaScript")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text(re.compile("100 people .*“No”.* 27 .*“Yes”"))).to_be_visible()
    page.get_by_text("The exact numbers, and how to check this form").click()
    expect(page.get_by_text("The whole record", exact=True)).to_be_visible()


def test_without_safe_chance_it_refuses(browser, tmp_path):
    path = tmp_path / "refusing.html"
    path.write_text(form(), encoding="utf-8")
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(window, 'crypto', { value: undefined })")
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_text("This browser has no safe source of chance")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    context.close()


def test_a_browser_from_before_big_integers_is_enough(browser, tmp_path):
    path = tmp_path / "old.html"
    path.write_text(form(), encoding="utf-8")
    context = browser.new_context()
    context.add_init_script("delete window.BigInt; delete window.AbortController; delete Element.prototype.replaceChildren")
    page = context.new_page()
    page.goto(path.as_uri())
    record = randomized(page)
    assert list(record["answers"]) == list(QUESTIONS)
    context.close()


def test_each_answer_sends_and_saves_as_many_bytes(visit, inboxes):
    """Of answers of one to four hundred letters. All draws are the same answer with a probability of 2e-8."""
    number, draws = 12, 7
    inbox, _ = inboxes
    schema = Schema((Attribute("q", tuple(f"{i} {'x' * (400 * i // number)}" for i in range(number))),))
    file = MechanismFile(schema, (((0,), LieWeights((number,), 1, (("0", 1),))),))
    form = respondent_form(file, title="Pilot", address=f"{inbox.address}/answers")
    saved = set()
    page, _ = visit(form)
    for draw in range(draws):
        with page.expect_download() as downloading:
            page.evaluate(ANSWERED, [[draw % number], ["download", "send"]])
        saved.add(downloading.value.path().stat().st_size)
        expect(page.locator("#status")).to_contain_text("Sent to")
        page.reload()
    lines = [body for _, _, body in inbox.posted]
    assert len(lines) == draws
    assert len({json.loads(line)["answers"]["q"] for line in lines}) > 1
    assert {len(line.encode()) for line in lines} == {int(headers["content-length"]) for _, headers, _ in inbox.posted}
    assert len({len(line.encode()) for line in lines}) == 1
    assert len(saved) == 1
