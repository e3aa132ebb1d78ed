"""Nothing any more: ``jobs`` and ``intake`` ask for it until they go."""

from contextlib import AbstractContextManager, nullcontext


class Turns:
    """Pages run side by side."""

    def lent(self) -> AbstractContextManager[None]:
        """Nothing is lent."""
        return nullcontext()


pages = Turns()
"""The turns of this server's pages."""
