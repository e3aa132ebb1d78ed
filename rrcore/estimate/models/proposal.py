"""A first regression that can be fitted, of what answers there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from rrcore.errors import InputError
from rrcore.estimate.models.covariates import Columns, Covariate, read_covariates
from rrcore.estimate.models.fitting import fit
from rrcore.estimate.models.merging import RARE
from rrcore.estimate.release import Release
from rrcore.limits import MAX_PROPOSED_CELLS, MAX_PROPOSED_FITS, MAX_PROPOSED_PREDICTORS


@dataclass(frozen=True)
class ModelProposal:
    """An outcome with predictors.

    Parameters
    ----------
    outcome : str
    predictors : tuple of str; empty where none of those tried can be fitted with the outcome
    left_out : tuple of str, what could be a predictor and is not one
    """

    outcome: str
    predictors: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was left out and how to add it; empty where nothing was.

        >>> ModelProposal("income", ("sex",), ("education", "age")).sentence
        'Chosen at first is what can be fitted; education and age are left out: add them under Predictors.'
        """
        if not self.predictors:
            return (
                f"No regression of “{self.outcome}” that was tried can be fitted to these answers as they are: choose predictors, and a "
                "penalty under More."
            )
        if not self.left_out:
            return ""
        *others, last = self.left_out if len(self.left_out) <= 4 else (*self.left_out[:3], f"{len(self.left_out) - 3} more")
        named = f"{', '.join(others)} and {last}" if others else last
        one = len(self.left_out) == 1
        said, add = ("is", "it") if one else ("are", "them")
        return f"Chosen at first is what can be fitted; {named} {said} left out: add {add} under Predictors."


def propose(
    release: Release[Any], names: Sequence[str], *, outcome: str = "", covariates: Columns | None = None
) -> ModelProposal:
    """An outcome and up to three predictors with which a regression can be fitted: it is, before it is proposed.

    An outcome that was randomised comes before others, one of two answers before one of more, and of equals the last, as people stand before
    what is asked of them; predictors of few categories come first. If a regression has no finite estimate, its last predictor is left out,
    then another is tried alone.

    Parameters
    ----------
    release : Release
    names : what may be outcome or predictor
    outcome : the outcome, if it is chosen already
    covariates : Columns; collected answers bring their own

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> propose(nigeria(), ["connected to an armed group", "education"])
    ModelProposal(outcome='connected to an armed group', predictors=('education',), left_out=())
    """
    given = getattr(release, "groupings", ()) if covariates is None else covariates
    columns = read_covariates(given, release.n)
    sizes = {name: _size(release, columns, name) for name in names}
    outcomes = (
        [outcome]
        if outcome
        else sorted((name for name in reversed(names) if sizes[name] > 1), key=lambda name: _rank(release, sizes, name))
    )
    tried = 0
    for each in outcomes:
        for predictors in _candidates(release, sizes, columns, each):
            tried += 1
            if tried > MAX_PROPOSED_FITS:
                break
            if _fits(release, columns, each, predictors):
                return _proposal(names, each, predictors)
    return _proposal(names, (outcomes or list(names))[0], ())


def _proposal(names: Sequence[str], outcome: str, predictors: tuple[str, ...]) -> ModelProposal:
    return ModelProposal(outcome, predictors, tuple(name for name in names if name != outcome and name not in predictors))


def _fits(release: Release[Any], columns: Mapping[str, Covariate], outcome: str, predictors: tuple[str, ...]) -> bool:
    amount = outcome not in release.schema.names and columns[outcome].numbers is not None and len(columns[outcome].values) > 2
    own = {name: columns[name] for name in (outcome, *predictors) if name not in release.schema.names}
    try:
        fit(release, outcome, predictors, family="linear" if amount else "logistic", covariates=own)
    except InputError:
        return False
    return True


def _size(release: Release[Any], columns: Mapping[str, Covariate], name: str) -> int:
    """Number of categories; 1 for numbers of more than two values, which need one coefficient."""
    if name in release.schema.names:
        return release.schema.select([name]).sizes[0]
    return 1 if columns[name].numbers is not None and len(columns[name].values) > 2 else len(columns[name].values)


def _rank(release: Release[Any], sizes: Mapping[str, int], name: str) -> tuple[bool, bool, int]:
    return name not in release.schema.names, sizes[name] != 2, sizes[name]


def _candidates(
    release: Release[Any], sizes: Mapping[str, int], columns: Mapping[str, Covariate], outcome: str
) -> list[tuple[str, ...]]:
    """Sets of predictors in the order in which they are tried."""
    randomised = release.schema.names
    telling = [name for name in sizes if name != outcome and (name in randomised or _telling(columns[name]))]
    chosen: list[str] = []
    for name in sorted(telling, key=lambda name: (sizes[name], name not in randomised)):
        own = [each for each in (*chosen, name, outcome) if each in randomised]
        cells = prod(sizes[each] for each in own)
        if cells <= MAX_PROPOSED_CELLS and len(chosen) < MAX_PROPOSED_PREDICTORS and not _erased(release, own):
            chosen.append(name)
    sets = [tuple(sorted(chosen[:length], key=list(sizes).index)) for length in range(len(chosen), 0, -1)]
    return sets + [(name,) for name in chosen[1:]]


def _telling(column: Covariate) -> bool:
    """Whether people share values, all of them often enough to be told apart where they are categories."""
    if column.numbers is not None:
        return len(column.values) <= 0.5 * len(column.codes)
    known = column.codes[column.codes >= 0]
    return bool(known.size) and min((known == code).mean() for code in range(len(column.values))) >= RARE / 5


def _erased(release: Release[Any], names: Sequence[str]) -> bool:
    return bool(names) and any(len(lost) <= 2 for lost in release.channel(names).lost())
