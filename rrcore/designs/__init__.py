"""Designs of the field by name, each with its exact channel, level and estimator, and the paper it is from."""

from rrcore.designs.catalogue import DESIGNS, forced_response
from rrcore.designs.design import Design
from rrcore.designs.rational import rational_probability
from rrcore.designs.reading import design_facts, read_design, read_question
