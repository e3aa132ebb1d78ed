"""The one kind of error a user may see: a sentence that says what was found, where, and what to do."""

__all__ = ["InputError", "NotIdentifiableError"]


class InputError(ValueError):
    """Bad input from a person or a file. ``str(error)`` is one complete sentence, fit for a page or a terminal.

    Parameters
    ----------
    message : str
    quoted : str
        The part of ``message``, if any, that is quoted from the rows of a file and so may be somebody's answer.
    """

    def __init__(self, message: str, *, quoted: str = "") -> None:
        super().__init__(message)
        self.quoted = quoted

    @property
    def discreet(self) -> str:
        """The sentence without what it quotes from rows: fit for a log."""
        return str(self).replace(self.quoted, "...") if self.quoted else str(self)


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
