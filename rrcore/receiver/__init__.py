"""Receive answers: a small web server for the form, and the store of the answers."""

from rrcore.receiver.store import Store, Submission, create_store, open_store, store_exists

__all__ = ["Store", "Submission", "create_store", "open_store", "store_exists"]
