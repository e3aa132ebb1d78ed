"""Mechanisms are solved once a file."""

from tests.solving import solved_once  # noqa: F401  # for all tests here
