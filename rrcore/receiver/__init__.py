"""Receiving answers: a small web server that gives out the respondents' form, and where it keeps what comes back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rrcore.errors import need

if TYPE_CHECKING:
    from rrcore.receiver.opening import check_survey, create_store, open_store, store_exists
    from rrcore.receiver.store import Store, Submission

_OWNERS = {
    "Store": "store",
    "Submission": "store",
    "create_store": "opening",
    "open_store": "opening",
    "store_exists": "opening",
    "check_survey": "opening",
}


def __getattr__(name: str) -> Any:
    """Each name is imported when it is asked for: only they need SQLAlchemy and a web server."""
    if name not in _OWNERS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    need("sqlalchemy", "The receiver", extra="receiver")
    return getattr(import_module(f"rrcore.receiver.{_OWNERS[name]}"), name)
