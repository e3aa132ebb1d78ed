"""Coverage-guided fuzzing of everything that is read from strangers: ``make fuzz``, or ``python -m fuzz plan --seconds 600``.

Every target is a module with ``SEEDS``, what to begin with, and ``check(data)``, which returns whether the input was accepted.
It catches ``InputError``, and any other exception is a finding. Findings are kept in ``fuzz/found/<target>/`` and are run by
``tests/hostile/test_fuzz.py`` for good.
"""

TARGETS = ("tables", "plan", "mechanism", "submission")
