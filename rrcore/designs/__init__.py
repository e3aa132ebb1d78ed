"""Designs of the field by name, each with its exact channel, level and estimator, and the paper it is from."""

from rrcore.designs.catalogue import (
    DESIGNS,
    christofides,
    forced_response,
    k_ary,
    kuk,
    mangat_singh,
    one_sided,
    unrelated_question,
    warner,
)
from rrcore.designs.design import Design, design_rows, matrix_design
from rrcore.designs.exact import DesignChannel
from rrcore.designs.rational import rational_probability
from rrcore.designs.reading import design_facts, read_design, read_question
