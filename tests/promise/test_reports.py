"""Mechanism files whose reports are not the categories: written, read, certified, drawn, estimated and reported on."""

import json
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import read_answers, summarise_marginal
from rrcore.asking import respondent_form
from rrcore.budget import build
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Release, cell_variance, maximum_likelihood, merged_shares
from rrcore.promise import MechanismFile, integer_groups, promise_sentence, release_table
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.reports import questions_after, report_after, report_before
from rrcore.reports.before import cautious
from rrcore.table import Attribute, Dataset, Schema
from tests.promise.test_mechanism_file import sealed
from tests.reports.pages import Tree

K = 25
RED = Attribute("drugs", tuple(f"{red} red" for red in range(K + 1)))
DRUGS, SEX = Attribute("drugs", ("no", "yes")), Attribute("sex", ("f", "m"))
OFTEN, TWO = Attribute("how often", ("never", "seldom", "often")), Attribute("how often", ("black", "white"))


def cards(tenths):
    return tuple(comb(K, red) * tenths**red * (10 - tenths) ** (K - red) for red in range(K + 1))


def kuk():
    """Kuk (1990): red cards among 25 drawn from a deck with 2 or, for a yes, 7 tenths of red ones; next to it a coin for sex."""
    groups = (((0,), MatrixWeights((cards(2), cards(7)))), ((1,), LieWeights((2,), 0, (("0", 4), ("1", 1)))))
    return MechanismFile(Schema((DRUGS, SEX)), groups, note="Kuk", reports=Schema((RED, SEX)))


def narrow():
    return MechanismFile(Schema((OFTEN,)), (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=Schema((TWO,)))


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    drugs = rng.random(n) < 0.15
    return Dataset(Schema((DRUGS, SEX)), np.column_stack([drugs, rng.random(n) < np.where(drugs, 0.7, 0.4)]).astype(np.int32))


def test_what_is_written_is_read_again():
    for file in (kuk(), narrow()):
        assert MechanismFile.from_json(file.to_json()) == file
        assert json.loads(file.to_json())["attributes"][0]["reports"] == list(file.reports.attributes[0].categories)
    assert "reports" not in json.loads(kuk().to_json())["attributes"][1]


def test_reports_that_are_the_categories_leave_everything_as_it_was():
    groups = (((0,), MatrixWeights(((5, 1), (1, 5)))),)
    plain, repeated = MechanismFile(Schema((DRUGS,)), groups), MechanismFile(Schema((DRUGS,)), groups, reports=Schema((DRUGS,)))
    assert plain == repeated
    assert plain.reports is plain.schema
    other = MechanismFile(Schema((DRUGS,)), groups, reports=Schema((Attribute("drugs", ("red", "black")),)))
    assert other.sha256 != plain.sha256
    assert other.certificate == plain.certificate


def test_the_certificate_is_exact():
    """Kuk: 25 red cards are the likeliest sign of a yes, none of a no: (7/2)^25 and (8/3)^25."""
    file = kuk()
    assert file.certificate.epsilon == (Fraction(7, 2) ** K, Fraction(4))
    assert file.certificate.epsilon_informed == file.certificate.epsilon
    assert file.certificate.epsilon_total == Fraction(7, 2) ** K * 4
    assert narrow().certificate.epsilon == (Fraction(8),)
    never = MatrixWeights(((3, 1, 0), (1, 2, 1)))
    attributes = Schema((DRUGS,)), Schema((Attribute("drugs", ("a", "b", "c")),))
    assert MechanismFile(attributes[0], (((0,), never),), reports=attributes[1]).certificate.epsilon == (None,)


@pytest.mark.parametrize("step", [-1, 1])
def test_a_claim_that_is_off_by_one_is_refused(step):
    document = json.loads(kuk().to_json())
    above, below = map(int, document["claim"]["attributes"][0]["epsilon"]["ratio"].split("/"))
    document["claim"]["attributes"][0]["epsilon"]["ratio"] = f"{above + step}/{below}"
    with pytest.raises(InputError, match="'drugs'"):
        MechanismFile.from_json(sealed(document))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["attributes"][0].pop("reports"), "'drugs' .*, got 2 and 26"),
        (
            lambda d: d["attributes"][0]["reports"].pop(),
            "for 2 categories and 25 reports, got 2 and 26",
        ),
        (lambda d: d["attributes"][0].update(reports="red"), r"attributes\[0\].reports: expected a list"),
        (lambda d: d["attributes"][1].update(reports=["f", "m"]), "reports that equal the categories"),
        (
            lambda d: d["attributes"][1].update(reports=["x", "y"]),
            "'sex' has its own reports",
        ),
        (lambda d: d["attributes"][0]["reports"].__setitem__(1, "0 red"), "lists the category '0 red' twice"),
        (lambda d: d["attributes"][0]["reports"].__setitem__(1, 7), r"attributes\[0\].reports\[1\]: expected text, got 7"),
        (lambda d: d.update(version=2), "version: expected 1, got 2"),
        (lambda d: d["randomization"][0]["matrix"][0].pop(), "in row 2 of a matrix, got 26"),
        (lambda d: d["attributes"][0].update(report=[]), "'report'"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_a_sentence(change, message):
    document = json.loads(kuk().to_json())
    change(document)
    with pytest.raises(InputError, match=message):
        MechanismFile.from_json(sealed(document))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (((1, 2, 0), (2, 1, 0)), "Report 3 of a matrix"),
        (((1, 1, 2), (1, 1, 2)), "full rank"),
        (((1, 3), (1, 3), (1, 3)), "full rank"),
        (((4,), (4,)), "got 2 × 1"),
    ],
)
def test_matrices_that_make_no_sense_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        MatrixWeights(rows)


def test_true_answers_go_in_and_reports_come_out():
    """Four intervals. False alarm: 4.2e-7."""
    file, table = kuk(), people(5000)
    released = release_table(file, table)
    assert released.dataset.schema == file.reports
    answers = read_answers([(released.dataset.to_csv().encode(), "answers.csv")], file)
    assert answers.n == 5000
    assert answers.schema == file.schema
    estimate = answers.estimate(["drugs", "sex"])
    low, high = estimate.interval(1 - 1e-7, population=False)
    truth = table.shares(["drugs", "sex"])
    assert ((low <= truth) & (truth <= high)).all()
    lines = "\n".join(
        json.dumps({"mechanism": file.sha256, "answers": {"drugs": f"{red} red", "sex": "f"}}) for red in (0, 25, 26)
    )
    few = read_answers([(lines.encode(), "lines.jsonl")], file)
    assert few.dataset.codes.tolist() == [[0, 0], [25, 0]]
    assert few.rejected[0].reason == "an answer to 'drugs' that is not one of its reports"
    with pytest.raises(InputError, match="not one of its reports"):
        read_answers([(table.to_csv().encode(), "truth.csv")], file)


def test_the_share_of_kuks_cards_against_counting_cards_by_hand():
    """The mean number of red cards is a linear estimate too; ours has no more variance at any share tried."""
    channel = kuk().channel([0])
    score = (np.arange(K + 1) / K - 0.2) / 0.5  # Kuk (1990), section 2
    for share in (0.02, 0.1, 0.3, 0.5, 0.9):
        reports = channel.push(np.array([1 - share, share]))
        assert reports @ score == pytest.approx(share)
        assert reports @ channel.inverse[1] == pytest.approx(share)
        assert reports @ channel.inverse[1] ** 2 <= reports @ score**2


def test_the_largest_error_is_the_largest_over_all_shares():
    """On a grid of shares; of Kuk's cards and of three categories with four reports."""
    wide = MatrixWeights(((5, 2, 2, 1), (1, 6, 1, 2), (1, 1, 3, 5)))
    four = Schema((Attribute("how often", ("a", "b", "c", "d")),))
    for file in (kuk(), MechanismFile(Schema((OFTEN,)), (((0,), wide),), reports=four)):
        channel = file.channel([0])
        grid = [np.array(cell) / 40 for cell in np.ndindex(*[41] * channel.sizes[0]) if sum(cell) == 40]
        worst = max(cell_variance(channel.push(shares), shares, channel, 100, population=True).max() for shares in grid)
        assert worst <= cautious(file, (0,), 100) ** 2 <= worst * 1.01


def test_summary_and_reports_show_reports_apart_from_answers():
    file, table = kuk(), people(2000)
    answers = read_answers([(release_table(file, table).dataset.to_csv().encode(), "answers.csv")], file)
    found = summarise_marginal(answers, ["drugs"])
    cells = found.table()
    assert "randomized" not in cells
    assert cells["drugs"] == ["no", "yes"]
    np.testing.assert_allclose(cells["EM"], maximum_likelihood(found.estimate.released, found.estimate.channel).shares.tolist())
    assert "randomized" in summarise_marginal(answers, ["sex"]).table()
    page = Tree(report_after(answers, questions_after(answers, summarise_marginal(answers, ["drugs", "sex"]))))
    assert [row[0] for row in page.rows[:4]] == ["no", "yes", "f", "m"]
    assert [len(row) for row in page.rows[:4]] == [2, 2, 3, 3]  # randomized data only if reports are answers
    before = Tree(report_before(file, people=2000))
    assert before.rows[0][:3] == ["drugs", "no, yes", ", ".join(RED.categories)]
    assert [row[0] for row in before.rows if len(row) == 3][:K] == list(RED.categories)[:K]
    assert estimate_html(answers).count("<th>released") == 0
    assert "80.0% of the time" in promise_sentence(file)


def estimate_html(answers):
    return answers.estimate(["drugs"])._repr_html_()


def test_the_form_asks_for_answers_and_hands_in_reports():
    form = respondent_form(kuk(), title="Cards")
    assert '<span dir="auto">yes</span>' in form
    assert "25 red" in form
    assert "something that chance makes of it" in form


@pytest.mark.parametrize("population", [pytest.param(False, marks=pytest.mark.long), True])
def test_shares_together_are_unbiased_and_their_intervals_cover(population):
    """3,000 surveys of 500 people, drawn again or always the same: intervals cover in 93 to 97%, and the mean is within 5 standard errors.

    False alarm 6e-7 each, at a true coverage of 95%.
    """
    file, rng = narrow(), np.random.default_rng(8)
    people, black = rng.choice(3, size=500, p=(0.5, 0.2, 0.3)), np.array([0.8, 0.8, 0.1])
    share = 0.3 if population else float((people == 2).mean())

    @cache
    def read(reports):
        """Share and interval if this many report the second color, as in many surveys."""
        codes = (np.arange(500) < reports).astype(np.int32)
        found = merged_shares(Release(Dataset(file.reports, codes[:, None]), file), "how often", population=population)
        assert found.estimate.sum() == pytest.approx(1)
        return found.estimate[1], found.conf_low[1], found.conf_high[1]

    found = []
    for _ in range(3000):
        true = rng.choice(3, size=500, p=(0.5, 0.2, 0.3)) if population else people
        found.append(read(int((rng.random(500) >= black[true]).sum())))
    shares, low, high = np.array(found).T
    assert 0.93 < ((low <= share) & (share <= high)).mean() < 0.97
    assert abs(shares.mean() - share) < 5 * shares.std() / np.sqrt(3000)


def test_fewer_reports_than_categories_say_what_can_be_estimated():
    file = narrow()
    answers = rr.Dataset(file.schema, np.array([[0], [1], [2], [2]]))
    collected = read_answers([(release_table(file, answers).dataset.to_csv().encode(), "answers.csv")], file)
    with pytest.raises(NotIdentifiableError, match="only the share of 'never' and 'seldom' together and that of 'often'"):
        summarise_marginal(collected, ["how often"])
    page = Tree(report_after(collected, questions_after(collected)))
    assert "'never' or 'seldom': " in page.text
    assert "“how often”" in page.text
    before = Tree(report_before(file, people=100))
    assert "2 reports of 'how often'" in before.text


def test_answers_that_a_spreadsheet_would_run_stay_apart_through_csv():
    """An apostrophe keeps "=1" from being run, and "'=1" gets one more: else both came back as the same answer."""
    schema = Schema((Attribute("q", ("=1", "'=1", "''=1")),))
    file = MechanismFile(schema, integer_groups(build("independent", (3,), [2.0])))
    table = Dataset(schema, np.array([[0], [0], [1], [2], [1], [0]]))
    assert table.to_csv() == "q\n'=1\n'=1\n''=1\n'''=1\n''=1\n'=1\n"
    assert read_answers([(table.to_csv().encode(), "a.csv")], file).dataset.codes.tolist() == table.codes.tolist()
    raw = b"q\n=1\n=1\n'=1\n''=1\n'=1\n=1\n"
    assert read_answers([(raw, "a.csv")], file).dataset.codes.tolist() == table.codes.tolist()
