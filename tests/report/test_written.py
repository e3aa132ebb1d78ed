"""Pre-registration, data management section and registry entry: what they say is the library's, and whoever reads them can."""

import io
import json
import re
import zipfile

import numpy as np
import pytest
import yaml
from scipy.stats import norm

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.errors import InputError
from rrcore.estimate import ShareVariance, margin, smallest_difference
from rrcore.promise import certified_nats
from rrcore.promise.weights import MatrixWeights
from rrcore.report import Front, management_section, registration, registry_entry
from rrcore.report.written import Bullets, Grid, Heading, Paragraph, Written, markdown_text
from rrcore.table import Attribute, Schema
from rrcore.wording import points
from tests.promise.designs_zoo import ZOO, file_of

FILE = nigeria().mechanism
NAME = FILE.schema.names[0]
FRONT = Front("Lives & losses", "A. Steward", "City of X", "2026-11-22", "To know.\nAnd to act.")
HOSTILE = Front(*["| # *a* <script>x</script> [b](c) `d` \x00\ufffe $e$ \\ 1. - "] * 5)


def words(content: bytes) -> list[str]:
    """The texts of a Word document, by its own XML."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        body = parts.read("word/document.xml").decode().replace("<w:br/>", "<w:t> </w:t>")
    paragraphs = re.findall(r"<w:p[ >].*?</w:p>", body, flags=re.DOTALL)
    return ["".join(re.findall(r"<w:t[^>]*>(.*?)</w:t>", each, flags=re.DOTALL)) for each in paragraphs]


@pytest.mark.parametrize("name", ZOO)
def test_every_design_has_all_documents(name):
    file = file_of(ZOO[name])
    for made in (registration(file, people=100), management_section(file, people=100)):
        assert file.sha256 in made.markdown()
        assert "nan" not in made.markdown().split()
    assert yaml.safe_load(registry_entry(file, people=100))["deployment"]["privacy_loss"]["privacy_unit"] == "Person"


def test_the_precision_that_is_registered_is_that_of_the_worst_case():
    channel = FILE.marginal_channel((0,))
    worst = max(ShareVariance.of(channel).error(2000), 0) if hasattr(channel, "retentions") else None
    adds = channel.matrix @ (
        channel.inverse.T**2
    )  # by hand: the variance of what one person adds, at its largest over true shares
    shares = np.linspace(0, 1, 10_001)
    variance = shares * adds[1, 1] + (1 - shares) * adds[0, 1] - shares**2
    error = float(np.sqrt(variance.max() / 2000))
    assert worst is None or worst == pytest.approx(error)
    [row] = [
        line for line in registration(FILE, people=2000).markdown().splitlines() if line.startswith(f"| {NAME}") and "±" in line
    ]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    factor = norm.ppf(0.975) + norm.ppf(0.8)
    expected = [f"± {points(1.959964 * error)}", points(factor * error), points(factor * error * 2)]
    assert cells[1:] == expected
    assert margin(error) == pytest.approx(1.959964 * error)


def test_the_smallest_difference_is_found_four_times_in_five():
    """2,000 surveys of the Niger Delta's design, each tested at 5 %: power within 4 standard errors of 80 %."""
    rng, n, channel = np.random.default_rng(7), 1500, FILE.marginal_channel((0,))
    truth = np.array([0.5, 0.5])
    reported = truth @ channel.matrix
    released = rng.multinomial(n, reported, size=2000) / n
    scores = channel.inverse[1]
    shares = released @ scores
    errors = np.sqrt((released @ scores**2 - shares**2) / (n - 1))
    null = 0.5 - smallest_difference(float(errors.mean()))
    power = float((np.abs(shares - null) / errors > norm.ppf(0.975)).mean())
    assert abs(power - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 2000)
    with pytest.raises(InputError, match="power is 1"):
        smallest_difference(0.1, power=1)


def test_a_registration_says_what_was_typed_and_counts_hypotheses():
    made = registration(
        FILE, FRONT, people=900, wordings={NAME: "Were you?"}, hypotheses=["More than 10 %.", " ", "Fewer\nthan 30 %."]
    )
    text = made.markdown().replace("\\", "")
    by = ("# Pre-registration: Lives & losses", "A. Steward, City of X, 2026-11-22")
    for said in (*by, "Were you?", "2. Fewer than 30 %.", "The 2 hypotheses"):
        assert said in text.replace("&amp;", "&"), said
    assert "None: shares are estimated" in registration(FILE, people=900).markdown()
    assert "The hypothesis is tested" in registration(FILE, people=900, hypotheses=["One."]).markdown()
    for bad, why in (({"people": 1}, "at least 2"), ({"people": 9, "hypotheses": ["x" * 3000]}, "more than")):
        with pytest.raises(InputError, match=why):
            registration(FILE, **bad)


def test_markdown_and_word_say_the_same():
    made = registration(FILE, FRONT, people=900, hypotheses=["More than 10 %."])
    first, second = made.docx(), made.docx()
    assert first == second
    said = [" ".join(text.split()) for text in words(first) if text.strip()]
    text = " ".join(made.markdown().replace("\\", "").split())
    assert len(said) > 40
    assert [each for each in said if each not in text] == []


@pytest.mark.parametrize("make", [registration, management_section])
def test_nothing_typed_is_markup(make):
    schema = Schema((Attribute("| a *b* <i>\ufffe", ("# no", "1. yes", "|")),))
    file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (3,), [1.0])))
    text = make(file, HOSTILE, people=9, wordings={schema.names[0]: HOSTILE.title}).markdown()
    assert "<script" not in text
    assert "<i>" not in text
    assert re.search(r"(?<!\\)\*", text) is None
    assert not re.search(r"(?<!\\)\[b\]", text)
    pipes = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| ")]
    assert pipes[0] == pipes[1] == pipes[2]  # headings, rule, and the row of a name that holds a stroke
    assert len(words(make(file, HOSTILE, people=9).docx())) > 20


def test_a_line_that_begins_like_a_list_is_none():
    assert [markdown_text(each) for each in ("- a", "12. b", "+ c", "a - b", "1.5")] == [
        "\\- a",
        "12\\. b",
        "\\+ c",
        "a - b",
        "1.5",
    ]


def test_blocks_in_markdown():
    made = Written("N", Front(), (Heading("H"), Paragraph("a\nb"), Bullets(("x", "y")), Grid("C", ("p", "q"), (("1", "2|3"),))))
    assert made.markdown() == "# N\n\n## H\n\na  \nb\n\n- x\n- y\n\nC:\n\n| p | q |\n| --- | --- |\n| 1 | 2\\|3 |\n"


FIELDS = {
    "basic": {
        "name",
        "data_curators",
        "intended_use",
        "data_product_type",
        "data_product_region",
        "description",
        "publication_date",
    },
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {"privacy_unit", "privacy_unit_details", "privacy_parameters", "privacy_parameters_details"},
    "deployment_model": {
        "model_name",
        "model_name_details",
        "actors",
        "release_type",
        "release_type_details",
        "data_source_type",
        "access_type",
    },
    "accounting": {"post_processing", "composition"},
    "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"},
    "administrative": {"sources", "registry_authors"},
}
"""Fields that the registry's schema of November 2025 knows, as far as an entry has them; it knows no others."""


def test_the_entry_has_the_fields_of_the_registry_and_the_claim_of_the_certificate():
    text = registry_entry(FILE, FRONT, people=2457, region="Niger Delta: Nigeria # south")
    entry = yaml.safe_load(text)
    assert list(entry) == ["url_slug", "status", "tier", "deployment"]
    assert (entry["url_slug"], entry["status"], entry["tier"]) == ("lives-losses-city-of-x-2026", "Draft", 3)
    found = entry["deployment"]
    assert {name: set(part) for name, part in found.items()} == FIELDS
    assert found["basic"]["publication_date"] == "2026-11-22"
    assert found["basic"]["data_product_region"] == "Niger Delta: Nigeria # south"
    assert found["basic"]["intended_use"] == "To know.\nAnd to act."
    assert found["privacy_loss"]["privacy_parameters"] == {"epsilon": float(certified_nats(FILE.certificate.total))}
    assert (found["dp_variant"]["variant_name"], found["deployment_model"]["model_name"]) == ("Pure DP", "Local")
    assert FILE.sha256 in found["administrative"]["sources"]
    left = json.dumps(entry).count("To be filled in")
    assert text.splitlines()[0] == f"# Left for the author: {left} places marked 'To be filled in'."
    bare = yaml.safe_load(registry_entry(FILE, Front(date="22.11.2026"), people=9))["deployment"]["basic"]
    assert all(
        bare[name][: len("To be")] == "To be" for name in ("name", "intended_use", "data_product_region", "publication_date")
    )


def test_without_a_bound_no_epsilon_is_claimed():
    schema = Schema((Attribute("smokes", ("no", "yes")),))
    file = rr.MechanismFile(schema, (((0,), MatrixWeights(((3, 1), (0, 4)))),))
    loss = yaml.safe_load(registry_entry(file, people=9))["deployment"]
    assert "privacy_parameters" not in loss["privacy_loss"]
    assert loss["dp_variant"]["variant_name"] == "Custom"
