"""Reports before and after collection: complete, small, escaped, accessible, and without the truth where they are handed out."""

import re
from html.parser import HTMLParser
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from rrcore.answers import Answers, nigeria, pair_summaries, read_answers, summarise_marginal
from rrcore.channel import LieSets
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.estimate import cell_variance, margin
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.report import Front, questions_after, report_after, report_before
from rrcore.schemes import invented_answers
from rrcore.table import Attribute, Dataset, Schema, load_demo
from rrcore.wording import Quantity, exact_odds_text, percent, points

TITANIC = load_demo("titanic")
FILE = MechanismFile(TITANIC.schema, integer_groups(build("pair-safe", TITANIC.schema.sizes, np.full(4, 2.0))), "Office", "Pilot")
FRONT = Front(
    "Lives & <b>losses</b>", "A. <script>alert(1)</script>", "Board", "2026-11-22", "First.\nSecond </style> */ \\ line."
)
HOSTILE = Front(*["</title></style><script>alert(1)</script>\"'}*/ \\ \x00"] * 5)
VOID = {"meta", "rect", "line", "circle"}


@pytest.fixture(scope="module")
def collected():
    return read_answers([(randomise(FILE, TITANIC).to_csv().encode(), "answers.csv")], FILE)


class Tree(HTMLParser):
    """Every element of a page with its attributes; ends that do not belong to what is open are found."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open, self.texts = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    def all(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).replace("\u00a0", " ").split())


def worst(channel, people):
    """The largest error of any share over a grid of populations, each of two answers only."""
    (size,) = channel.sizes
    found = 0.0
    alike = isinstance(channel, LieSets)  # all answers are reported in the same way
    for own, other in [(0, 1)] if alike else product(range(size), repeat=2):
        for x in np.linspace(0, 1, 101):
            shares = np.zeros(size)
            shares[own] += x
            shares[other] += 1 - x
            found = max(found, cell_variance(channel.push(shares), shares, channel, people, population=True)[own])
    return float(np.sqrt(found))


def before(**options):
    return report_before(FILE, FRONT, people=2201, wordings={"Sex": "Man or woman?"}, **options)


def after(answers, **options):
    return report_after(answers, questions_after(answers), pair_summaries(answers), FRONT, **options)


@pytest.mark.parametrize("kind", ["before", "before internal", "after", "after internal", "simulated"])
def test_every_report_is_one_small_accessible_file_that_loads_and_runs_nothing(kind, collected):
    page = {
        "before": before,
        "before internal": lambda: before(truth=TITANIC),
        "after": lambda: after(collected),
        "after internal": lambda: after(collected, internal=True),
        "simulated": lambda: after(collected, truth=TITANIC),
    }[kind]()
    tree = Tree(page)
    assert len(page.encode()) < 60_000
    assert tree.all("html") == [{"lang": "en"}]
    assert len(tree.all("h1")) == len(tree.all("main")) == page.count("<title>Internal: Lives") + page.count("<title>Lives") == 1
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
    assert "RR Workbench" in tree.text
    inside = kind not in ("before", "after")
    first = tree.text.split("Lives & <b>losses</b>")[1]
    assert first.strip().startswith("Internal: " if inside else "For handing out: apart from the names of categories, nothing")
    assert page.split("<title>")[1].startswith("Internal: ") == inside


def test_what_is_typed_cannot_leave_its_place(collected):
    for page in (report_before(FILE, HOSTILE, people=1), report_after(collected, [], (), HOSTILE)):
        tree = Tree(page)
        assert not tree.all("script")
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        assert style.count('"') % 2 == 0
        assert "alert(1)" not in style
        assert "\x00" not in page


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ({"title": "x" * 501}, "The title of the document has 501 characters: use at most 500."),
        ({"reasons": "x" * 5001}, "The reasons of the document has 5,001 characters: use at most 5,000."),
        ({"author": "\ud800"}, "The author of the document holds half a character"),
    ],
)
def test_texts_that_do_not_fit_are_refused(front, said):
    with pytest.raises(InputError, match=re.escape(said)):
        Front(**front)


def test_the_report_before_holds_what_an_ethics_board_asks_for():
    text, promise = Tree(before()).text, FILE.certificate
    assert "Man or woman?" in text
    assert "2,201 people are asked 4 questions" in text
    for ratio in (max(promise.levels), max(promise.leakage), promise.total):
        assert f"by at most {exact_odds_text(ratio)} times" in text
    for i, name in enumerate(TITANIC.schema.names):
        error = worst(FILE.marginal_channel([i]), 2201)
        assert f"{name} ± {points(float(margin(error)))}" in text
    for line in promise.text(FILE.schema.names).splitlines():
        assert " ".join(line.split()) in text
    for heading in (
        "What is asked",
        "What it protects",
        "What an observer could learn",
        "How precise it will be",
        "How to check it",
    ):
        assert heading in text
    assert "rrcore certify --mechanism mechanism.json" in text
    assert "Made by: Office. Note: Pilot" in text


def test_every_pair_has_its_margin_in_the_figure_before():
    """1.96 errors of one combination of two answers, all equally common, against the population: variances at the shares themselves."""
    texts = Tree(before()).texts
    for pair in combinations(range(4), 2):
        channel = FILE.marginal_channel(pair)
        shares = np.full(channel.sizes, 1 / np.prod(channel.sizes))
        variance = cell_variance(channel.push(shares), shares, channel, 2201, population=True)
        assert f"{196 * np.sqrt(variance.mean()):.1f}" in texts


def test_the_report_before_names_the_form_that_goes_with_it_where_there_is_one():
    form = 32 * "5a"
    assert f"where its own SHA-256 is <code>{form}</code>: save it" in before(form=form)
    assert "for the survey team to publish" in before()


def test_how_often_an_observer_guesses_right_is_that_of_every_possible_release():
    """By summing over all outputs of the channel: the largest posterior of each is how often its best guess is right."""
    text = Tree(before()).text
    channel = FILE.marginal_channel(range(4))
    sizes = FILE.sizes
    for axis, name in enumerate(FILE.schema.names):
        released = []
        for code in range(sizes[axis]):
            truth = np.zeros(sizes)
            truth[(*[0] * axis, code, *[0] * (3 - axis))] = 1.0  # the others are known, and which does not matter
            released.append(channel.push(truth))
        alone = sum(
            max(table.sum(axis=tuple(i for i in range(4) if i != axis))[u] for table in released) for u in range(sizes[axis])
        )
        full = np.maximum.reduce(released).sum()
        sure = np.maximum.reduce(released) >= 0.95 * np.sum(released, axis=0)
        certain = round(2201 * np.sum(released, axis=0)[sure].sum() / sizes[axis])
        assert (
            f"{name} {percent(1 / sizes[axis])} {percent(alone / sizes[axis])} {percent(full / sizes[axis])} {certain:,} of 2,201"
            in text
        )


def test_what_is_handed_out_is_the_same_whatever_the_truth_is(collected):
    """The internal report is another one for another table of the same people; only that says anything about the truth."""
    other = Dataset(TITANIC.schema, np.roll(TITANIC.codes, 700, axis=0) * (np.arange(TITANIC.n) % 3 > 0)[:, None])
    assert before(truth=TITANIC) != before(truth=other)
    planted = {percent(share) for n in (1, 2) for i, j in product(range(4), repeat=2) if i < j or n == 1
               for share in TITANIC.shares([TITANIC.schema.names[i], TITANIC.schema.names[j]][:n]).ravel().tolist()}  # fmt: skip
    shown = set(re.findall(r"\d[\d,.]* %", Tree(before()).text))
    assert not shown & planted
    assert len(set(re.findall(r"\d[\d,.]* %", Tree(before(truth=TITANIC)).text)) & planted) >= 4


def test_only_the_internal_report_after_names_files_and_columns_that_were_not_randomised():
    answers = nigeria()
    marginals = questions_after(answers)
    inside, outside = (report_after(answers, marginals, internal=internal) for internal in (True, False))
    for told in ("Niger Delta survey", "record 2 of", "hold true values: education"):
        assert told in inside
        assert told not in outside
    assert "no answer to 'connected to an armed group'" in outside


def test_the_report_after_says_findings_in_words_and_every_question_in_numbers(collected):
    text = Tree(after(collected, wordings={"Sex": "Man or woman?"})).text
    marginals = questions_after(collected)
    assert [found.schema.names for found in marginals] == [(name,) for name in TITANIC.schema.names]
    for found in marginals:
        closest = found.estimate.closest()
        low, high = closest.interval(population=True)
        top = int(closest.shares.argmax())
        told = f"{percent(closest.shares[top])} ({100 * low[top]:.1f} to {100 * high[top]:.1f})"
        assert f"“{found.schema.attributes[0].categories[top]}” {told}" in text
        assert text.count(told) >= 2
    assert "“Man or woman?”: “Male”" in text
    assert re.findall("Attribute: ([A-Z][a-z]+)", text) == ["Sex"]  # the others are asked by their names
    assert "Sex and Survived go together: Cramér's V" in text
    for heading in ("In words", "Every question", "What goes together", "What cannot be said", "What was promised", "Method"):
        assert heading in text
    assert "What any one person answered" in text


def test_the_figure_of_protection_says_the_odds_of_its_table():
    yes_no = Schema((Attribute("used", ("no", "yes")),))
    weights = read_design("used", "forced", 2, "2/3, 1/6, 1/6")
    text = report_before(MechanismFile(yes_no, (((0,), weights),)), Front("Odds"), people=100)
    assert "× 5.00" in text
    assert "× 5.01" not in text  # an upper bound of log 5 is rounded up once, not twice


def test_findings_from_invented_answers_are_a_rehearsal():
    invented = invented_answers(TITANIC.schema, 300, rng=np.random.default_rng(0))
    answers = Answers(randomise(FILE, invented), FILE)
    page = report_after(answers, questions_after(answers), internal=True)
    assert "<title>Rehearsal: " in page
    assert Tree(page).text.count("Rehearsal: nobody gave these answers.") == 1


def test_what_cannot_be_said_follows_from_the_answers():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abc"))
    file = MechanismFile(schema, integer_groups(build("optimal", (2, 2, 2), [0.5, 0.5, 0.5])))
    truth = Dataset(schema, np.random.default_rng(0).integers(0, 2, (30, 3)).astype(np.int32))
    answers = Answers(Dataset(schema, np.random.default_rng(1).integers(0, 2, (30, 3)).astype(np.int32)), file)
    pairs = pair_summaries(answers)
    text = Tree(report_after(answers, questions_after(answers)[:2], pairs, population=False)).text
    assert "Anything about c: this report does not read it." in text
    assert "Anything about a: the intervals are wider than the whole range of shares" in text
    assert "How 3 pairs go together, for example a with b: the randomization leaves nothing to read." in text
    assert "Anything about people who were not asked" in text
    assert "“a”" not in text
    assert "Which attributes go together" not in text
    alone = Tree(report_after(answers, questions_after(answers)[:2], [], population=False)).text
    assert "Which attributes go together: this report did not look for it." in alone
    with pytest.raises(InputError, match="The true table has other categories"):
        report_after(answers, [], truth=TITANIC.select(["Class", "Sex", "Age"]).__class__(
            Schema(tuple(Attribute(name, ("x", "y", "z")) for name in "abc")), truth.codes))  # fmt: skip


@pytest.mark.parametrize(("often", "said"), [
    ([1432, 1432, 136], "Whether anyone at all gave 1 answer of 3 to a: its interval reaches 0."),
    ([1370, 1370, 130, 130], "Whether anyone at all gave 2 answers of 4 to a: their intervals reach 0."),
])  # fmt: skip
def test_answers_that_nobody_may_have_given_are_counted(often, said):
    """At level 3 about 136 or 130 of 3,000 reports are of an answer that nobody has."""
    schema = Schema((Attribute("a", tuple("wxyz"[: len(often)])),))
    file = MechanismFile(schema, integer_groups(build("kronecker", (len(often),), [3.0])))
    answers = Answers(Dataset(schema, np.repeat(np.arange(len(often), dtype=np.int32), often)[:, None]), file)
    text = Tree(report_after(answers, questions_after(answers), [], population=False)).text
    assert said in text, text[text.find("What cannot be said") :][:400]


def test_designs_of_the_field_are_written_out():
    schema = Schema((Attribute("drugs", ("no", "yes")), Attribute("region", ("n", "s", "e"))))
    groups = (
        ((0,), read_design("drugs", "forced", 2, "2/3,1/6,1/6")),
        ((1,), read_design("region", "matrix", 3, "1,0,0;0,1,0;1/4,1/4,1/2")),
    )
    text = Tree(report_before(MechanismFile(schema, groups), people=900)).text
    assert "no 5/6 1/6 yes 1/6 5/6" in text
    assert "there is no bound, since some released answers rule some true ones out" in text
    assert "'drugs' and 'region' are each randomised independently of every other answer" in text
    assert "region × 1.00" not in text
    assert "drugs 50.0 % 83.3 % 83.3 %" in text
    error = worst(MechanismFile(schema, groups).marginal_channel([1]), 900)
    assert f"region ± {points(float(margin(error)))}" in text


@pytest.mark.parametrize("simultaneous", [False, True])
def test_intervals_are_as_they_are_meant_in_words_and_in_every_table(collected, simultaneous):
    found = summarise_marginal(collected, ["Class", "Survived"])
    text = Tree(report_after(collected, [found], simultaneous=simultaneous)).text
    for shares, (low, high) in [
        (each.shares, each.interval(population=True, simultaneous=simultaneous))
        for each in (found.estimate, found.estimate.closest())
    ]:
        for numbers in zip(shares.ravel().tolist(), low.ravel().tolist(), high.ravel().tolist(), strict=True):
            assert Quantity("share", "", "").estimated(*numbers).replace("\u00a0", " ") in text, numbers
    assert ("hold for all its shares at once" in text) == ("intervals that hold for all at once" in text) == simultaneous


@pytest.mark.slow
def test_reports_of_a_census_stay_small():
    """Eight attributes with 61 categories, all pairs, and a joint distribution of 240 combinations of which 60 are listed."""
    census = load_demo("census")
    file = MechanismFile(census.schema, integer_groups(build("kronecker", census.schema.sizes, np.full(8, 3.0))))
    answers = Answers(randomise(file, census), file)
    both = summarise_marginal(answers, ["education", "occupation"])
    page = report_after(answers, questions_after(answers, both), pair_summaries(answers))
    assert len(page.encode()) < 300_000
    assert "the 60 largest of 240" in page
    assert "The 24 largest of 240 combinations." in page
    assert len(report_before(file, people=30_000).encode()) < 300_000


def test_people_and_tables_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="The number of people is 0"):
        report_before(FILE, people=0)
    other = Dataset(Schema((Attribute("Class", ("a", "b")), *TITANIC.schema.attributes[1:])), np.zeros((2, 4), dtype=np.int32))
    with pytest.raises(InputError, match="The table has other categories than the mechanism file"):
        report_before(FILE, people=1, truth=other)
