"""The one kind of error a user may see: a sentence that says what was found, where, and what to do."""

__all__ = ["InputError", "NotIdentifiableError"]


class InputError(ValueError):
    """Bad input from a person or a file. ``str(error)`` is one complete sentence, fit for a page or a terminal."""


class NotIdentifiableError(InputError):
    """A marginal cannot be estimated because the mechanism erases one of its interactions.

    Attributes
    ----------
    lost : tuple of tuple of int
        The erased interactions, each as the axes (of the requested marginal) that it involves.
    """

    def __init__(self, message: str, lost: tuple[tuple[int, ...], ...]) -> None:
        super().__init__(message)
        self.lost = lost
