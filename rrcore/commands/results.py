"""What ``--json`` prints: the fields of each command's result, from which its JSON Schema is generated."""

from typing import Any, Literal

import msgspec

RESULT_VERSION = 1
"""Version of the results."""

_TYPES: dict[str, Any] = {
    "text": str | None,
    "count": int | None,
    "number": float | None,
    "flag": bool | None,
    "list": list[Any] | None,
    "fields": dict[str, Any] | None,
}

_RESULTS = """
describe = table:text rows:count notes:list columns:list
plan = mechanism:text safe:count closeness:text attributes:list categories:list requested_levels:list achieved_levels:list
    leakage:list total:number kronecker_total:number min_pair_factor:number weakest:list lower_bound:number gap:number
    gap_text:text certified_optimal:flag method:text tried:list violations:list seconds:number gains*:fields
    safe_frontier*:list wanted*:fields out*:text
simulate = confidence*:number note:text mechanism:text safe:count n:count attributes:list levels:list achieved_levels:list
    total:number marginal:list categories:list truth:list identifiable:flag estimate:list standard_errors:list
    population_standard_errors*:list released*:list projections*:fields metrics:fields interval_coverage*:number
    disagreement*:number weakest*:fields reason*:text
compare = table:text n:count drawn_from:count attributes:list categories:list levels:list repeats:count seed:count equal:text
    within:list varied:text mechanisms:fields warnings:list results:list missing:list seconds:number
lopub = table:text n:count attributes:list eps:number source*:text total*:number phi*:number flip*:number bits*:count
    cliques*:list separators*:list edges*:fields records*:count restarted*:count model*:fields half_l1*:fields
    accuracy*:fields compare*:list warnings*:list
keyvalue = confidence*:number users:count keys:list notes:list eps:number protocol*:text exact_level*:number bits*:number
    published_bits*:number estimates*:fields reports*:list note*:text question*:fields
mechanism = sha256:text made_by:text note:text attributes:list total:fields text:text
designs = designs*:list name*:text title*:text parameters*:text example*:text source*:text formula*:text story*:text
    costs*:text numbers*:text given*:flag categories*:list reports*:list channel*:list level*:fields protects*:text
    people*:count share*:number error*:number open*:number
certify = sha256:text made_by:text note:text attributes:list total:fields text:text
form = form:text language:text mechanism:text form_sha256:text
collect = records:count mechanism:text draw:text recorded:flag read_as:list left_out:count total:fields known*:text
invite = codes:count out:text used:count known:count
answers = answers:count mechanism:text closed:text out:text unrandomised:list alone:count told_apart:text
read = confidence*:number simulation:text mechanism:text total:text levels:fields answers:count incomplete:count
    sample:fields left_out:list unmatched:list errors_against:text marginals:list pairs:list cannot_be_read:list
    from_the_model:list about_the_sample:list among*:fields by*:fields
model = confidence*:number simulation:text formula:text regression:text reference:text answers:count coefficients:list
    log_likelihood:number notes:list summary:text
poll = question:text people:count truth:number level:number within:number as_good_as_asking:count answers:count shares:list
    sentence:text out:text
pause = title:text state:text changed:flag
resume = title:text state:text changed:flag
close = title:text closed:text before:flag answers:count unfinished:count mechanism:text release:fields report:text told:list
audit = sha256:text sampler*:text certificate*:fields headline:text sound:flag runs*:count confidence:number enumerated*:flag
    checks:list attacks*:list text:list answers*:count left_out*:count
ledger = task:text ledger:text entries*:list populations*:list release*:fields before*:fields after*:fields sentences*:list
papers = entries*:list results*:list
learn = lesson:text chapters:count bytes:count
"""  # name:type, with a star if the field can be missing


def result_type(kind: str) -> type[msgspec.Struct]:
    """Return the struct of a command's result, which is null where a number or a text is not known.

    Parameters
    ----------
    kind : str
        Name of the command.

    Examples
    --------
    >>> sorted(msgspec.json.schema(result_type("learn"))["$defs"]["learn"]["properties"])
    ['bytes', 'chapters', 'kind', 'lesson', 'version']
    """
    lines = _RESULTS.replace("\n    ", " ").strip().splitlines()
    words = dict(line.split(" = ") for line in lines)[kind].split()
    fields: list[Any] = [("kind", Literal[kind]), ("version", Literal[RESULT_VERSION])]
    for word in words:
        name, _, called = word.partition(":")
        default = (msgspec.UNSET,) if name.endswith("*") else ()
        kinds = _TYPES[called] | msgspec.UnsetType if default else _TYPES[called]
        fields.append((name.removesuffix("*"), kinds, *default))
    return msgspec.defstruct(kind, fields, forbid_unknown_fields=True, kw_only=True)


def result_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what a command prints with ``--json``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(result_type(kind))}
