"""The command ``audit``: does a mechanism file keep its promise? Certificate, enumeration, and bounds from running it."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.audit import SIGHTS, Bound, Guesser, audit_file
from rrcore.commands.files import load_mechanism
from rrcore.commands.tables import finite, whole
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.wording import percent


def add_audit(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``audit``, what it runs and how its result is printed."""
    command.add_argument("--mechanism", required=True, metavar="FILE", help="a mechanism file")
    command.add_argument("--runs", default="100000", help="releases of each true record (default 100000)")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    runs = whole("number of runs", options.runs, None)
    mechanism = load_mechanism(options.mechanism)
    audit, names = audit_file(mechanism, runs), mechanism.schema.names
    enumeration = audit.enumeration
    written = {
        "agrees": None if enumeration is None else enumeration.agrees,
        "sentences": [audit.not_enumerated] if enumeration is None else list(enumeration.sentences()),
    }
    return {
        "sha256": mechanism.sha256,
        "certificate": mechanism.certificate.to_dict(names),
        "text": mechanism.certificate.text(names),
        "enumeration": written,
        "headline": audit.headline(),
        "runs": runs,
        "confidence": AUDIT_CONFIDENCE,
        "contradicted": bool(audit.contradicted),
        "bounds": [_bound(bound, names) for bound in audit.bounds],
        "guessers": [_guesser(guesser, names) for guesser in audit.guessers],
    }


def _bound(bound: Bound, names: tuple[str, ...]) -> dict[str, Any]:
    promise = bound.promise
    return {
        "promise": promise.about,
        "attribute": None if promise.axis is None else names[promise.axis],
        "claim": finite(promise.claim),
        "shown": bound.shown,
        "hits": [bound.hits, bound.other_hits],
        "runs": bound.runs,
        "reach": bound.reach,
        "verdict": bound.verdict,
        "sentence": bound.sentence(names),
    }


def _guesser(guesser: Guesser, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "attribute": names[guesser.axis],
        "sees": guesser.sees,
        "before": guesser.before,
        "formula": guesser.formula,
        "measured": guesser.measured,
        "interval": [guesser.low, guesser.high],
        "verdict": guesser.verdict,
    }


def _tell(result: dict[str, Any]) -> str:
    lines = [result["text"], *result["enumeration"]["sentences"], result["headline"]]
    lines += [f"  {bound['sentence']}" for bound in result["bounds"]]
    lines.append("Best guesses of a true answer, all being equally likely beforehand:")
    for one in result["guessers"]:
        low, high = (percent(end) for end in one["interval"])
        lines.append(
            f"  '{one['attribute']}' from {SIGHTS[one['sees']]}: computed {percent(one['formula'])}, measured {percent(one['measured'])} "
            f"({low} to {high}); {one['verdict']}"
        )
    return "\n".join(lines)
