"""The respondents' form: what it says, what it lets in, and its sampler held against Python's with the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.asking.chosen_screens import PLAIN
from rrcore.asking.form import respondent_form
from rrcore.asking.languages import language
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.promise.sampler import randomize_codes
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests import oracles
from tests.asking.make_form_vectors import VECTORS, mechanisms, planned
from tests.programs import node
from tests.promise.designs_zoo import file_of

HERE = Path(__file__).parent
HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "'; window.hacked = 1; //",
    "<!--<script>",
    "${window.hacked = 1} $title $$",
    "line\u2028separator\u2029\x85\r\n\t\x00",
    "&lt;b&gt; \\u003c",
    "\u202eright to left",
    "__proto__",
    "1e3",
)


class Document(HTMLParser):
    """Everything a form holds: elements with their attributes, and the text inside the elements of each name."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        self.texts.append((self.inside, data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]

    @property
    def data(self) -> dict[str, object]:
        [text] = [text for text in self.text("script") if text.startswith("{")]
        return json.loads(text)

    @property
    def policy(self) -> dict[str, list[str]]:
        [content] = [meta["content"] for meta in self.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
        return {part.split()[0]: part.split()[1:] for part in content.split("; ")}


def one(weights: LieWeights | MatrixWeights, categories: tuple[str, ...] = ("no", "yes")) -> MechanismFile:
    return MechanismFile(Schema((Attribute("smokes", categories),)), (((0,), weights),))


def entries(html: str) -> list[str]:
    """What the form says about each question, and last about the whole record."""
    return [text.replace("&nbsp;", " ") for text in re.findall(r"<dd>(.*?)</dd>", html)]


def test_python_reproduces_every_vector_and_uses_exactly_its_bytes():
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    files = [MechanismFile.from_json(json.dumps(document)) for document in vectors["mechanisms"]]
    assert len(vectors["cases"]) > 400
    rejected = 0
    for case in vectors["cases"]:
        left = bytearray.fromhex(case["bytes"])

        def entropy(count: int, left: bytearray = left) -> bytes:
            assert count <= len(left)
            given = bytes(left[:count])
            del left[:count]
            return given

        file = files[case["mechanism"]]
        found = randomize_codes(file, np.array([case["codes"]], dtype=np.int32), entropy)
        assert found.tolist() == [case["released"]]
        assert not left
        first = file.groups[0][1].whole
        width = ((first - 1).bit_length() + 7) // 8
        draw = int.from_bytes(bytes.fromhex(case["bytes"])[:width], "big")
        rejected += draw % 2 ** (first - 1).bit_length() >= first
    assert rejected > 20  # or the vectors would not show that a draw is repeated


def test_vectors_hold_every_kind_of_group():
    kinds = {type(weights) for file in mechanisms() for _, weights in file.groups}
    assert kinds == {LieWeights, MatrixWeights, CountWeights}
    assert max(weights.whole.bit_length() for file in mechanisms() for _, weights in file.groups) > 128


@pytest.mark.browser
def test_node_reproduces_every_vector():
    command = [node(), "--test", str(HERE / "form_sampler.test.mjs")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout[-3000:]


@pytest.mark.browser
@pytest.mark.parametrize(
    "file",
    [
        planned("optimal", (2, 3, 2), (0.5, 1.0, 1.5)),
        one(MatrixWeights(((70, 20, 9), (33, 33, 33), (1, 8, 90))), ("a", "b", "c")),
        file_of((((2, 0, 1), CountWeights((2, 2, 3), (2, 1), (40, 9, 7, 3, 2, 1))),)),
    ],
    ids=["coupled", "matrix", "counts"],
)
def test_draws_of_the_form_follow_the_exact_probabilities(file):
    """Chi-square over all records that can be sent. False alarm: 1e-7."""
    codes = [size - 1 for size in file.schema.sizes]
    draws = 6_000
    task = json.dumps({"mechanism": json.loads(file.to_json()), "codes": codes, "draws": draws})
    run = subprocess.run(
        [node(), str(HERE / "form_draws.mjs")], input=task, capture_output=True, text=True, timeout=60, check=True
    )
    counts = json.loads(run.stdout)
    exact = oracles.exact_channel(file.groups)
    expected = {
        ",".join(map(str, output)): float(draws * exact[tuple(codes), output]) for output in oracles.cells(file.schema.sizes)
    }
    assert set(counts) <= set(expected)
    assert min(expected.values()) > 20
    statistic = sum((counts.get(cell, 0) - count) ** 2 / count for cell, count in expected.items())
    assert statistic < chi2.isf(1e-7, len(expected) - 1)


def test_numbers_are_those_of_the_plan():
    sizes, epsilon = (2, 5), (math.log(3), 2.0)
    form = respondent_form(planned("independent", sizes, epsilon), title="Survey")
    truth = 100 * math.e**2 / (math.e**2 + 4)
    numbers = [re.findall(r"\d+\.\d+", entry) for entry in entries(form)]
    assert numbers == [["75.0", "3.00"], [f"{truth:.1f}", "7.39"], ["22.2"]]  # 3 e^2 = 22.167, rounded up
    assert "Chance may have changed any of these answers" in form


def test_coupled_answers_say_what_the_whole_record_gives_away():
    mechanism = build("optimal", (2, 2, 2), (0.5, 0.5, 0.5))
    form = respondent_form(
        MechanismFile(planned("joint", (2, 2, 2), (1, 1, 1)).schema, integer_groups(mechanism)), title="Survey"
    )
    leak = math.ceil(100 * math.exp(float(mechanism.epsilon_informed[0]))) / 100
    each, _ = entries(form)
    assert each.endswith(language("en").text("form", "leak", factor=f"{leak:.2f}"))


def terms(html: str) -> list[list[str]]:
    """The questions, or "Each answer", that each entry is about."""
    return [re.findall(r'<dt dir="auto">(.*?)</dt>', entry) for entry in re.findall(r"<div>(<dt.*?)<dd>", html)]


def test_equal_odds_are_said_once_and_only_what_differs_question_by_question():
    six = respondent_form(planned("joint", (2,) * 6, (1.0,) * 6), title="Survey")
    assert terms(six) == [["Each answer"], ["The whole record"]]
    assert six.count("Seeing this answer alone") == six.count("already knows your other answers") == 1
    sizes = respondent_form(planned("independent", (2, 2, 5), (1.0,) * 3), title="Survey")
    assert terms(sizes) == [["Each answer"], ["q0", "q1"], ["q2"], ["The whole record"]]
    assert entries(sizes)[0] == language("en").text("form", "shift", factor="2.72")
    assert [entry.count("your true one") for entry in entries(sizes)] == [0, 1, 1, 0]
    epsilon = respondent_form(planned("independent", (2, 2, 2), (1.0, 2.0, 1.0)), title="Survey")
    assert terms(epsilon) == [["q0", "q2"], ["q1"], ["The whole record"]]
    assert terms(respondent_form(planned("independent", (2,), (1,)), title="Survey")) == [["q0"], ["The whole record"]]


def test_a_matrix_says_how_truth_depends_on_the_answer():
    [entry, _] = entries(respondent_form(one(MatrixWeights(((5, 1), (2, 4)))), title="Survey"))
    assert re.findall(r"\d+\.\d+", entry) == ["66.7", "83.3", "4.00"]  # the larger of 5/2 and 4/1


def test_a_mechanism_without_a_bound_says_so():
    form = respondent_form(one(MatrixWeights(((2, 0), (1, 1)))), title="Survey")
    [entry, whole] = entries(form)
    assert language("en").text("form", "shift_unbounded") in entry
    assert whole == language("en").text("form", "total_unbounded")
    assert "Some of what is sent can show what somebody’s answer is not" in form
    assert not any(said in form for said in ("Chance protects you", "nobody who reads what you send can be sure"))
    assert "Chance may have changed any of these answers" not in form


def test_wordings_replace_names_only_where_they_are_given():
    form = respondent_form(
        planned("independent", (2, 2, 2), (1, 1, 1)), title="Survey", questions={"q1": "Do you smoke?", "q2": "  "}
    )
    assert re.findall(r'<span id="wording\d" dir="auto">(.*?)</span>', form) == ["q0", "Do you smoke?", "q2"]


def test_many_categories_make_a_list_and_few_make_radio_buttons():
    document = Document(respondent_form(planned("independent", (12, 13), (1, 1)), title="Survey", screens=PLAIN))
    assert len(document.all("input")) == 12
    assert len(document.all("select")) == 1
    assert len(document.all("option")) == 13 + 1
    assert all(
        control["autocomplete"] == "off" for control in document.all("input") + document.all("select") + document.all("form")
    )


def hostile_file() -> MechanismFile:
    schema = Schema(tuple(Attribute(name, HOSTILE) for name in HOSTILE))
    return MechanismFile(
        schema, integer_groups(build("independent", schema.sizes, np.linspace(1, 2, len(HOSTILE)))), note=HOSTILE[0]
    )


@pytest.mark.parametrize("address", ["", "https://survey.example.org/answers?key=1"])
def test_policy_allows_the_forms_own_script_and_style_and_nothing_else(address):
    html = respondent_form(hostile_file(), title=HOSTILE[0], introduction=HOSTILE[1], address=address)
    document = Document(html)
    sources = [html[found.end() : html.index("</script>", found.end())] for found in re.finditer("<script>", html)]
    [style] = [html[found.end() : html.index("</style>", found.end())] for found in re.finditer("<style>", html)]
    assert document.policy == {
        "default-src": ["'none'"],
        "script-src": [hashed(source) for source in sources],
        "style-src": [hashed(style)],
        "connect-src": ["https://survey.example.org"] if address else ["'none'"],
        "form-action": ["'none'"],
        "base-uri": ["'none'"],
    }
    assert len(sources) == 5
    assert all(source.isascii() for source in (*sources, style))


def hashed(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def test_nothing_is_loaded_from_anywhere():
    html = respondent_form(hostile_file(), title="Survey")
    document = Document(html)
    assert not {tag for tag, _ in document.elements} & {
        "img",
        "iframe",
        "link",
        "object",
        "embed",
        "base",
        "video",
        "audio",
    }
    for _, attributes in document.elements:
        assert not [
            name for name in attributes if name.startswith("on") or name in {"src", "href", "style", "action", "formaction"}
        ]
    assert document.all("html") == [{"lang": "en"}]
    [style] = document.text("style")
    assert "url(" not in style
    assert "@import" not in style
    scripts = "".join(text for text in document.text("script") if not text.startswith("{"))
    for storage in ("localStorage", "sessionStorage", "indexedDB", "cookie", "innerHTML", "Math.random", "eval"):
        assert storage not in scripts


def test_hostile_texts_stay_texts():
    file = hostile_file()
    html = respondent_form(file, title=HOSTILE[0], introduction=HOSTILE[1], questions=dict.fromkeys(HOSTILE[:2], HOSTILE[0]))
    document = Document(html)
    assert len(document.all("script")) == 6
    assert not document.all("img")
    assert document.text("title") == [HOSTILE[0]]
    assert MechanismFile.from_json(json.dumps(document.data["mechanism"])) == file
    [data] = [text for text in document.text("script") if text.startswith("{")]
    assert not set(data) & set("<>&\u2028\u2029")


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://survey.example.org", "https://survey.example.org"),
        ("https://Survey.example.org:8443/a/b?c=d&e=@", "https://survey.example.org:8443"),
        ("http://localhost:8000/answers", "http://localhost:8000"),
        ("http://127.0.0.1/", "http://127.0.0.1"),
        ("https://xn--bcher-kva.example/?x", "https://xn--bcher-kva.example"),
    ],
)
def test_good_addresses_open_their_origin_only(address, origin):
    document = Document(respondent_form(planned("independent", (2,), (1,)), title="Survey", address=address))
    assert document.policy["connect-src"] == [origin]
    assert document.data["address"] == address
    assert "send" in [button.get("id") for button in document.all("button")]


@pytest.mark.parametrize(
    "address",
    [
        "survey.example.org",
        "http://survey.example.org",
        "http://localhost.example.org",
        "https://",
        "https://*",
        "https://*.example.org",
        "https://user:secret@example.org/",
        "https://user@example.org/",
        "https://example.org\\@other.org/",
        "https://example.org; script-src 'unsafe-inline'",
        "https://example.org/ x",
        "https://example.org\n",
        "https://example.org/#part",
        "https://example.org:99999/",
        "https://ex\u00e4mple.org/",
        "https://[::1]/",
        "javascript:alert(1)",
        "ftp://example.org",
        "file:///etc/passwd",
        " https://example.org",
    ],
)
def test_bad_addresses_are_refused(address):
    with pytest.raises(InputError, match="starts with https://") as refused:
        respondent_form(planned("independent", (2,), (1,)), title="Survey", address=address)
    assert "secret" not in str(refused.value)


def test_without_an_address_there_is_no_way_to_send():
    document = Document(respondent_form(planned("independent", (2,), (1,)), title="Survey"))
    assert "send" not in [button.get("id") for button in document.all("button")]
    assert "This page cannot send anything" in " ".join(document.text("p"))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"title": " "}, "The title of the form has 0 characters"),
        ({"title": "x" * 501}, "The title of the form has 501 characters"),
        ({"title": "Survey", "questions": {"age": "How old are you?"}}, "There is no attribute 'age'"),
        ({"title": "Survey", "questions": {"q0": "x" * 501}}, "The question about 'q0' has 501 characters"),
        ({"title": "\ud800"}, "The title .* surrogate"),
        ({"title": "Survey", "introduction": "\ud800"}, "The introduction .* surrogate"),
        ({"title": "Survey", "questions": {"q0": "\udfff"}}, "The question about 'q0' .* surrogate"),
    ],
)
def test_bad_texts_are_refused(texts, message):
    with pytest.raises(InputError, match=message):
        respondent_form(planned("independent", (2,), (1,)), **texts)
