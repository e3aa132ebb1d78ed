"""Standard survey designs by name, each with its exact probabilities."""

from rrcore.designs.catalogue import DESIGNS, forced_response
from rrcore.designs.design import Design, rational_probability
from rrcore.designs.typed_design import designed_mechanism, read_design, read_question
