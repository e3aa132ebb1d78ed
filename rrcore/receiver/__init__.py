"""Receiving answers: a small web server that gives out the respondents' form, and where it keeps what comes back."""

from rrcore.receiver.store import Store, Submission, create_store, open_store, store_exists

__all__ = ["Store", "Submission", "create_store", "open_store", "store_exists"]
