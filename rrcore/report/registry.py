"""An entry for the public registry of deployments of differential privacy (registry.opendp.org, its schema of 2025)."""

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rrcore.promise import MechanismFile, certified_nats
from rrcore.report.before import design_sentences
from rrcore.report.front import BLANK, Front, check_wordings
from rrcore.report.page import versions
from rrcore.report.protection import promises
from rrcore.report.written import OPEN
from rrcore.wording import counted, exact_odds_text

Entry = Mapping[str, Any]
"""Fields of the entry: texts, numbers, lists of texts, and entries."""


def registry_entry(
    file: MechanismFile, front: Front = BLANK, *, people: int, wordings: Mapping[str, str] = {}, region: str = ""
) -> str:
    """The entry as YAML, a draft for the registry's reviewers: model, unit, level, and where the claim comes from.

    What only its author can say reads "To be filled in", and the first line counts these.

    Parameters
    ----------
    file : MechanismFile, how answers were randomised
    front : title, author, organisation, the date of publication as 2026-11-22, and reasons, which are the intended use
    people : how many people's answers it is about
    wordings : attribute -> how it is asked; its name where that is left out or blank
    region : where these people live

    Raises
    ------
    InputError
        For a question that is too long.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.report import Front, registry_entry
    >>> entry = registry_entry(nigeria().mechanism, Front(title="Niger Delta"), people=2457)
    >>> [line.strip() for line in entry.splitlines() if "model_name:" in line or "epsilon:" in line]
    ['epsilon: 1.609437913', 'model_name: "Local"']
    """
    asked = check_wordings(wordings, file.schema)
    whole: Entry = {
        "url_slug": _slug(front.title, front.organisation, front.date[:4]),
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": _basic(asked, front, people, region),
            "dp_variant": _variant(file),
            "privacy_loss": _loss(file),
            "deployment_model": _model(),
            "accounting": _accounting(file),
            "implementation": _implementation(file),
            "administrative": {
                "sources": _open("a link to the mechanism file, its certificate and what is published.")
                + f" The claim is the certificate of the mechanism file with the SHA-256 {file.sha256}.",
                "registry_authors": [front.author.strip() or _open("who writes this entry.")],
            },
        },
    }
    text = "\n".join(_yaml(whole, ""))
    left = text.count(OPEN.strip())
    return f"# Left for the author: {counted(left, 'place', 'places')} marked 'To be filled in'.\n{text}\n"


def _open(what: str) -> str:
    return f"{OPEN}{what}"


def _basic(asked: Sequence[str], front: Front, people: int, region: str) -> Entry:
    questions = "; ".join(asked)
    return {
        "name": front.title.strip() or _open("what is published."),
        "data_curators": [front.organisation.strip() or _open("who publishes it.")],
        "intended_use": front.reasons.strip() or _open("what the answers are for."),
        "data_product_type": "Summary statistics",
        "data_product_region": region.strip() or _open("the country or region of these people."),
        "description": f"Shares of answers of {counted(people, 'person', 'people')}, who answered "
        f"{counted(len(asked), 'question', 'questions')} under randomized response: {questions}.",
        "publication_date": _day(front.date) or _open("the day of publication, as 2026-11-22."),
    }


def _variant(file: MechanismFile) -> Entry:
    names = ", ".join(f"{each.name} ({each.size} categories)" for each in file.schema.attributes)
    return {
        "variant_name": "Pure DP" if file.certificate.total is not None else "Custom",
        "data_domain": f"Tables with one row for each person and the columns {names}.",
        "unprotected_quantities": "The number of people who answered, that somebody took part, and on which day. "
        + _open("anything that is published beside the answers and is not randomised."),
    }


def _loss(file: MechanismFile) -> Entry:
    total, names = file.certificate.total, file.schema.names
    each = "; ".join(
        f"{name}: {'no bound' if level is None else f'{certified_nats(level)} nats, odds at most {exact_odds_text(level)} times'}"
        for name, level in zip(names, file.certificate.levels, strict=True)
    )
    found: dict[str, Any] = {
        "privacy_unit": "Person",
        "privacy_unit_details": "Two tables are adjacent if they have the same number of people and differ in the answers of one of them, in "
        "any or all questions: all answers of a person are protected together.",
    }
    if total is not None:
        found["privacy_parameters"] = {"epsilon": float(certified_nats(total))}
    found["privacy_parameters_details"] = (
        f"The epsilon is that of a person's whole record, rounded up at its last digit. One answer alone, {each}. "
        + " ".join(promises(file))
    )
    return found


def _model() -> Entry:
    return {
        "model_name": "Local",
        "model_name_details": "Each person's answers are randomised before they reach whoever collects them.",
        "actors": "Respondents; the survey team, which receives randomised answers only; whoever is given these or what is computed from "
        "them. Nobody is trusted with true answers, as long as the form randomises as published, which its fingerprint shows. "
        + _open("who else takes part, and whether true answers were held by anybody before they were randomised."),
        "release_type": "One release",
        "release_type_details": _open("whether the same people will be asked again: every wave is one more release."),
        "data_source_type": "Static",
        "access_type": "Non-interactive",
    }


def _accounting(file: MechanismFile) -> Entry:
    return {
        "post_processing": "Shares are computed back by inverting the probabilities of the randomisation, and where they are shown put back "
        "among distributions; neither costs anything.",
        "composition": "The epsilon is that of the joint law of all reports of a person, "
        f"{len(file.schema.names)} in number, not a sum of the levels of single answers.",
    }


def _implementation(file: MechanismFile) -> Entry:
    return {
        "preprocessing_and_hyperparameter_tuning": "Questions, categories and probabilities were fixed before the first answer. "
        + _open("how the levels were chosen."),
        "mechanisms": f"Randomized response. {' '.join(design_sentences(file))} Made with {versions()}.",
        "justification": "Probabilities are whole numbers over a common sum, and draws are exact, so that there is no rounding in the "
        "randomisation. The claim is computed from these whole numbers in exact fractions, by code that shares nothing with what designed "
        "them, and can be computed anew from the mechanism file with nothing but Python (check.py).",
    }


def _day(text: str) -> str:
    """A date that is written as the registry wants it; empty for any other text."""
    try:
        return dt.date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return ""


def _slug(*texts: str) -> str:
    plain = unicodedata.normalize("NFKD", " ".join(texts)).encode("ascii", "ignore").decode()
    return "-".join(re.findall("[a-z0-9]+", plain.lower())) or "randomized-response"


def _yaml(entry: Entry, indent: str) -> list[str]:
    """Lines of YAML: texts as strings of JSON, which YAML reads as well."""
    lines = []
    for key, value in entry.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}:", *_yaml(value, f"{indent}  ")]
        elif isinstance(value, list):
            lines += [f"{indent}{key}:", *(f"{indent}  - {json.dumps(each, ensure_ascii=False)}" for each in value)]
        else:
            lines.append(f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines
