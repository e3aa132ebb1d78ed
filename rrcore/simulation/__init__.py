"""Simulated randomization of known tables, invented tables, and errors."""

from rrcore.simulation.demonstration import Demonstration, demonstrate
from rrcore.simulation.invented import invented_answers, make_table
from rrcore.simulation.releases import (
    Repeat,
    Repeats,
    Simulated,
    dependence_after_release,
    generator,
    repeat_perturbation,
    simulate,
    simulate_counts,
)
