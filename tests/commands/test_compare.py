"""The command compare: what is missing and why, and totals that protect little, as JSON and as text."""

import json

import pytest

from tests.commands.terminal import run

ARGUMENTS = (
    "compare",
    "--in",
    "demo:titanic",
    "--schemes",
    "rr-independent,rr-ind-joint,pair-safe",
    "--repeats",
    "2",
    "--seed",
    "0",
)
METRIC = "Hellinger distance"


@pytest.mark.slow
def test_missing_errors_are_listed_and_the_rest_averaged_over_common_sets(capsys):
    """At 0.5 nats raw inversion has shares below 0 on most pairs."""
    code, out, err = run(capsys, *ARGUMENTS, "--eps", "0.5", "--json")
    result = json.loads(out)
    assert (code, err, result["warnings"]) == (0, "", [])
    found = {one["scheme"]: one for one in result["results"] if one["metric"] == METRIC}
    missing = [one for one in result["missing"] if one["metric"] == METRIC]
    assert {one["scheme"] for one in missing} == {"rr-ind-joint"}
    assert all("below 0" in one["reason"] and len(one["attributes"]) == 2 for one in missing)
    assert found["rr-independent"]["sets"] == found["pair-safe"]["sets"]
    assert found["rr-ind-joint"]["sets"] in (0, found["pair-safe"]["sets"])
    assert found["rr-ind-joint"]["asked"] == 12
    others = [one for one in result["results"] if one["metric"] == "half L1 (total variation)"]
    assert [(one["sets"], one["asked"], one["reason"]) for one in others] == [(12, 12, "")] * 3


@pytest.mark.slow
def test_a_total_of_ln_m_is_told(capsys):
    sentence = "A total of 4.00 nats is not below 3.47, the logarithm of the 32 possible records, so that it protects little"
    code, out, _ = run(capsys, *ARGUMENTS, "--eps", "1")
    assert code == 0
    assert out.count(sentence) == 1
    assert json.loads(run(capsys, *ARGUMENTS, "--eps", "1", "--json")[1])["warnings"][0].startswith(sentence)


@pytest.mark.slow
def test_people_or_levels_are_varied_and_nothing_else(capsys):
    few = ("compare", "--in", "demo:titanic", "--schemes", "rr-independent", "--repeats", "2", "--seed", "0", "--eps", "2")
    few += ("--attributes", "Sex,Survived", "--json")
    for varied, values in (("people", "50,200"), ("eps", "1,3")):
        code, out, _ = run(capsys, *few, "--vary", varied, "--values", values)
        found = [one["value"] for one in json.loads(out)["results"] if one["metric"] == METRIC]
        assert (code, json.loads(out)["varied"], found) == (0, varied, [float(value) for value in values.split(",")])
    assert run(capsys, *few, "--vary", "categories", "--values", "2,3")[0] == 2
    code, _, err = run(capsys, *few, "--vary", "people")
    assert (code, err.count("--vary and --values belong together")) == (2, 1)


def test_errors_of_shares_within_groups_are_measured(capsys):
    """Of the joint distributions with sex there are three pairs; the groups' own shares are further off than those of all people."""
    code, out, err = run(capsys, *ARGUMENTS, "--eps", "2", "--within", "Sex", "--json")
    result = json.loads(out)
    assert (code, err, result["within"]) == (0, "", ["Sex"])
    assert {one["asked"] for one in result["results"]} == {6}
    medians = {(one["metric"], one["scheme"]): one["median"] for one in result["results"]}
    for scheme in ("rr-independent", "rr-ind-joint", "pair-safe"):
        assert medians["largest error of a share within a group", scheme] > medians["largest absolute cell error", scheme]
    without = json.loads(run(capsys, *ARGUMENTS, "--eps", "2", "--json")[1])
    assert without["within"] == []
    assert not any("within a group" in one["metric"] for one in without["results"])
