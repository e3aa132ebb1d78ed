"""Options of a command that say how the people behind collected answers were drawn."""

import argparse

from rrcore.answers import Answers, KnownTotals, SampleColumns, read_totals, with_sample
from rrcore.commands.files import load, title
from rrcore.commands.values import adder
from rrcore.errors import InputError
from rrcore.wording import read_numbers

_LONELY = ("refuse", "centre", "certain")


def add_sample(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that name the columns of weights, strata and clusters, and what is known of the population."""
    group = command.add_argument_group("the sample", "how people were drawn; without these, all alike from a large population")
    add = adder(group)
    add("--weights", "how many people of the population each person stands for", "COLUMN", default="")
    add("--strata", "the stratum that each person was drawn from", "COLUMN", default="")
    add("--clusters", "the cluster that each person was drawn with, such as a village", "COLUMN", default="")
    add(
        "--population-sizes",
        "a table of strata and their totals, or one number: how many clusters, or people without --clusters, the population has; "
        "leave it out where the population is large",
        "FILE",
    )
    add(
        "--lonely",
        "a stratum with one cluster: refuse it, count its distance from the mean of all (centre), or take it as certain",
        _LONELY,
        default="refuse",
    )


def sample_columns(options: argparse.Namespace) -> SampleColumns:
    """What the options of ``add_sample`` say. Raises InputError for a file that does not hold totals."""
    return SampleColumns(
        options.weights,
        options.strata,
        options.clusters,
        None if options.population_sizes is None else _sizes(options.population_sizes),
        options.lonely,
    )


def sampled(answers: Answers, options: argparse.Namespace) -> Answers:
    """The answers with the sample that the options describe."""
    return with_sample(answers, sample_columns(options))


def _sizes(text: str) -> KnownTotals:
    """One number, or the table of a file."""
    try:
        numbers = read_numbers(text)
    except (InputError, ValueError):
        numbers = []
    if len(numbers) == 1:
        return KnownTotals((), ((),), (numbers[0],))
    return read_totals(load(text), title(text))
