"""A survey of eight questions."""

from __future__ import annotations

import pytest

from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table.schema import Attribute, Schema

CATEGORIES = tuple(f"answer {letter}" for letter in "abcdefghij")


@pytest.fixture(scope="session")
def mechanism() -> MechanismFile:
    """Eight questions with ten categories each: a record differs from all others."""
    schema = Schema(tuple(Attribute(f"question {i}", CATEGORIES) for i in range(1, 9)))
    return MechanismFile(schema, integer_groups(build("independent", schema.sizes, [1.0] * 8)))
