"""The dashboard's log: each line has its time, whichever library says it; as JSON on request. It holds no page, upload or address.

Requests leave no line: those of uploads name sessions, and opening a page makes a hundred.
"""

import json
import logging
import os
import sys

import streamlit.logger

from rrcore.commands.app import JSON_VARIABLE

_TIME = "%Y-%m-%dT%H:%M:%S%z"
_OWN = ("streamlit", "uvicorn")
"""Loggers that write by themselves, in ways of their own, with all that are named after them."""


class AsJson(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the traceback of a defect."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as a line."""
        line = {
            "time": self.formatTime(record, _TIME),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def _leave_to_root(logger: logging.Logger) -> None:
    logger.handlers.clear()
    logger.propagate = True


def set_up() -> None:
    """From now on have all lines, warnings of Python too, written to standard error in one way."""
    handler = logging.StreamHandler(sys.stderr)
    as_json = bool(os.environ.get(JSON_VARIABLE))
    handler.addFilter(lambda record: "WebSocket" not in str(record.msg))  # with the visitor's address
    handler.setFormatter(AsJson() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", _TIME))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    streamlit.logger.setup_formatter = _leave_to_root
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.partition(".")[0] in _OWN:
            _leave_to_root(logger)
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
