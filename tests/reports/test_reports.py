"""Reports before and after data collection: complete, small, escaped, accessible, and without the truth."""

import re
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from jinja2 import StrictUndefined, UndefinedError

from rrcore.answers import Answers, pair_summaries, read_answers, summarise_marginal
from rrcore.budget import Plan, accuracy, build, surety
from rrcore.channel import SubsetChannel
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.estimate import cell_variance, margin
from rrcore.mark import simulation_mark
from rrcore.promise import MechanismFile, integer_groups, randomize
from rrcore.reports import Front, questions_after, report_after, report_before
from rrcore.reports.shared_parts import templates
from rrcore.simulation import invented_answers
from rrcore.table import Attribute, Dataset, Schema, load_demo
from rrcore.wording import estimate_text, exact_odds_text, percent, points, total_text
from tests.hostile.names import NAMES
from tests.reports.pages import Tree

TITANIC = load_demo("titanic")
MECHANISM = build("preserving-2", TITANIC.schema.sizes, np.full(4, 2.0))
FILE = MechanismFile(TITANIC.schema, integer_groups(MECHANISM), "Office", "Pilot")
FRONT = Front(
    "Lives & <b>losses</b>", "A. <script>alert(1)</script>", "Board", "2026-11-22", "First.\nSecond </style> */ \\ line."
)
HOSTILE = Front(*["</title></style><script>alert(1)</script>\"'}*/ \\ {{ 7*7 }} \x00\ud800"] * 5)


@pytest.fixture(scope="module")
def collected():
    return read_answers([(randomize(TITANIC, FILE).to_csv().encode(), "answers.csv")], FILE)


def worst(channel, people):
    """The largest error of any share over a grid of populations, each of two answers only."""
    (size,) = channel.sizes
    found = 0.0
    alike = isinstance(channel, SubsetChannel)  # all answers are reported in the same way
    for own, other in [(0, 1)] if alike else product(range(size), repeat=2):
        for x in np.linspace(0, 1, 101):
            shares = np.zeros(size)
            shares[own] += x
            shares[other] += 1 - x
            found = max(found, cell_variance(channel.push(shares), shares, channel, people, population=True)[own])
    return float(np.sqrt(found))


def margin_row(name, channel, people):
    return [name, f"±{points(float(margin(worst(channel, people))))}"]


def before(**options):
    return report_before(FILE, FRONT, people=2201, wordings={"Sex": "Man or woman?"}, **options)


def after(answers, **options):
    return report_after(answers, questions_after(answers), pair_summaries(answers), FRONT, **options)


@pytest.mark.parametrize("kind", ["before", "after"])
def test_every_report_is_one_small_accessible_file_that_loads_and_runs_nothing(kind, collected):
    page = before() if kind == "before" else after(collected)
    tree = Tree(page)
    assert len(page.encode()) < 60_000
    assert tree.all("html") == [{"lang": "en"}]
    assert len(tree.all("h1")) == len(tree.all("main")) == page.count("<title>Lives") == 1
    assert not tree.all("script", "link", "img", "iframe", "object", "form")
    assert not any(name in ("src", "href") or name.startswith("on") for _, found in tree.found for name in found)
    assert "url(http" not in page
    assert "default-src 'none'" in page
    assert len(tree.all("caption")) == len(tree.all("table")) > 0
    assert all(found.get("scope") in ("col", "row") for found in tree.all("th"))
    assert len(tree.all("figcaption")) == len(tree.all("figure")) > 0
    assert all(found["role"] == "img" and found["aria-label"] for found in tree.all("svg"))
    levels = [int(tag[1]) for tag, _ in tree.found if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = [found["id"] for _, found in tree.found if "id" in found]
    assert len(ids) == len(set(ids))
    for text in ("Lives & <b>losses</b>", "A. <script>alert(1)</script>", "Board", "2026-11-22", "Second </style> */ \\ line."):
        assert " ".join(text.split()) in tree.text
    assert FILE.sha256 in tree.text


def test_what_is_typed_cannot_leave_its_place(collected):
    for page in (report_before(FILE, HOSTILE, people=1), report_after(collected, [], (), HOSTILE)):
        tree = Tree(page)
        assert not tree.all("script")
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        assert "alert" not in style
        assert tree.text.count("{{ 7*7 }}") == 6
        assert not {"\x00", "\ud800"} & set(page)


def test_hostile_names_and_questions_are_text_in_every_place():
    """Attributes, categories, questions, notes and the reasons for rows that were left out."""
    names = [" ".join(name.split())[:120] for name in NAMES]
    schema = Schema(tuple(Attribute(f"{names[i]} {i}", (names[i + 1], names[i + 2])) for i in range(0, 18, 3)))
    file = MechanismFile(schema, integer_groups(build("independent", schema.sizes, np.full(6, 3.0))), names[3], names[4])
    wordings = dict(zip(schema.names, names, strict=False))
    people = Dataset(schema, np.random.default_rng(0).integers(0, 2, (400, 6)))
    answers = read_answers([(randomize(people, file).to_csv().encode() + b"<script>,,,,,\n", "a.csv")], file)
    found = questions_after(answers, summarise_marginal(answers, schema.names[:2]))
    for page in (
        report_before(file, people=500, wordings=wordings, form="<script>"),
        report_after(answers, found, pair_summaries(answers), wordings=wordings),
    ):
        tree = Tree(page)
        assert not tree.all("script", "img", "a", "i")
        assert not any(name in ("src", "href") or name.startswith("on") for _, own in tree.found for name in own)
        assert {"<b>bold</b><img src=x onerror=alert(1)>", "<script>alert(1)</script>"} <= set(
            re.findall("<b>.*?1[)]>|<script>.*?</script>", tree.text)
        )
        assert "\u202e" not in page


def test_a_template_that_misses_a_value_fails():
    assert templates().undefined is StrictUndefined
    with pytest.raises(UndefinedError):
        templates().get_template("before.html.j2").render()


@pytest.mark.parametrize("front", [{"title": "x" * 501}, {"reasons": "x" * 5001}])
def test_texts_that_are_too_long_are_refused(front):
    with pytest.raises(InputError, match=next(iter(front))):
        Front(**front)


def test_the_report_before_has_every_epsilon_and_margin():
    tree, certificate = Tree(before()), FILE.certificate
    for ratio in (max(certificate.epsilon), max(certificate.epsilon_informed), certificate.epsilon_total):
        assert f"ε = {total_text(np.log(float(ratio)))}" in tree.text
        assert exact_odds_text(ratio) in tree.text
    for i, (name, alone, informed) in enumerate(zip(TITANIC.schema.names, FILE.epsilon, FILE.epsilon_informed, strict=True)):
        assert [name, total_text(alone), total_text(informed), percent(surety(informed))] in tree.rows
        assert margin_row(name, FILE.channel([i]), 2201) in tree.rows
    for line in certificate.text(FILE.schema.names).splitlines():
        assert " ".join(line.split()) in tree.text


def test_the_margin_of_every_pair_is_that_of_the_budget():
    texts = Tree(before()).texts
    margins = accuracy(Plan(TITANIC, 2.0), MECHANISM).margins
    for i, j in combinations(range(4), 2):
        assert f"{100 * margins[i, j]:.1f}" in texts


def test_the_report_before_names_the_form_and_the_questions():
    form = 32 * "5a"
    assert form in before(form=form)
    assert form not in before()
    assert ["Man or woman?", "Sex", "Male, Female"] in [row[:3] for row in Tree(before()).rows]
    assert ["Sex", "Male, Female"] in [row[:2] for row in Tree(report_before(FILE, people=9)).rows]


def test_the_report_before_holds_no_true_share():
    planted = {percent(share) for name in TITANIC.schema.names for share in TITANIC.shares([name]).tolist()}
    assert not set(re.findall(r"\d[\d,.]* ?%", Tree(before()).text)) & planted


def test_the_report_after_quotes_the_unbiased_estimate_with_its_interval(collected):
    both = summarise_marginal(collected, ["Class", "Survived"])
    pages = Tree(after(collected, wordings={"Sex": "Man or woman?"})), Tree(report_after(collected, [both]))
    marginals = questions_after(collected)
    assert [found.schema.names for found in marginals] == [(name,) for name in TITANIC.schema.names]
    for found in (*marginals, both):
        estimate = found.estimate
        low, high = (end.ravel().tolist() for end in estimate.interval(population=True))
        quoted = {row[-1] for page in pages for row in page.rows}
        for numbers in zip(estimate.shares.ravel().tolist(), low, high, strict=True):
            assert estimate_text(*numbers) in quoted
    assert re.findall("Attribute: ([A-Z][a-z]+)", pages[0].text) == ["Sex"]  # the others are asked by their names
    assert "answers.csv" not in pages[0].text


def test_findings_from_invented_answers_are_a_rehearsal_and_a_simulation_has_none():
    invented = invented_answers(TITANIC.schema, 300, rng=np.random.default_rng(0))
    answers = Answers.of(randomize(invented, FILE), FILE)
    assert Tree(report_after(answers, questions_after(answers))).title.startswith("Rehearsal: ")
    with pytest.raises(InputError, match="simulation"):
        report_after(Answers(answers.release, mark=simulation_mark(1)), [])


def test_limits_follow_from_the_answers():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abc"))
    file = MechanismFile(schema, integer_groups(build("optimal", (2, 2, 2), [0.5, 0.5, 0.5])))
    answers = Answers.of(Dataset(schema, np.random.default_rng(1).integers(0, 2, (30, 3)).astype(np.int32)), file)
    text = Tree(report_after(answers, questions_after(answers)[:2], pair_summaries(answers), population=False)).text
    limits, findings = text[text.index("Limits") :], text[: text.index("Questions")]
    assert "“c”" in limits
    assert "“a”" in limits
    assert "“a”" not in findings
    assert "3 associations" in limits


def test_designs_of_the_field_are_written_out():
    schema = Schema((Attribute("drugs", ("no", "yes")), Attribute("region", ("n", "s", "e"))))
    groups = (
        ((0,), read_design("drugs", "forced", 2, "2/3,1/6,1/6")),
        ((1,), read_design("region", "matrix", 3, "1,0,0;0,1,0;1/4,1/4,1/2")),
    )
    file = MechanismFile(schema, groups)
    tree = Tree(report_before(file, people=900))
    assert [row for row in tree.rows if "5/6" in row] == [["no", "5/6", "1/6"], ["yes", "1/6", "5/6"]]
    assert "no bound" in tree.text
    assert margin_row("region", file.channel([1]), 900) in tree.rows
    alone = Tree(report_before(MechanismFile(schema.select(["drugs"]), groups[:1]), people=9))
    assert "5.00" in alone.text
    assert len(alone.all("ol")) == 1


@pytest.mark.slow
def test_reports_of_a_census_stay_small():
    """Eight attributes with 61 categories, all pairs, and a joint distribution of 240 combinations of which 60 are listed."""
    census = load_demo("census")
    file = MechanismFile(census.schema, integer_groups(build("independent", census.schema.sizes, np.full(8, 3.0))))
    answers = Answers.of(randomize(census, file), file)
    both = summarise_marginal(answers, ["education", "occupation"])
    page = report_after(answers, questions_after(answers, both), pair_summaries(answers))
    assert len(page.encode()) < 300_000
    assert len(report_before(file, people=30_000).encode()) < 300_000


def test_no_people_are_refused():
    with pytest.raises(InputError, match="number of people"):
        report_before(FILE, people=0)
