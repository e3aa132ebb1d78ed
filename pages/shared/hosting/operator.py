"""Nothing any more: ``queue`` and ``intake`` ask for it until they go."""

from dataclasses import dataclass
from functools import cache

from rrcore.limits import MAX_READING_MEGABYTES, MAX_READING_SECONDS


@dataclass(frozen=True)
class Operator:
    """Limits of calculations."""

    jobs_per_user: int = 2
    jobs_per_address: int = 3
    jobs_in_all: int = 4
    short_job_seconds: int = 30
    job_seconds: int = 3600
    job_megabytes: int = 4096
    readers: int = 2
    reader_seconds: int = MAX_READING_SECONDS
    reader_megabytes: int = MAX_READING_MEGABYTES


@cache
def operator() -> Operator:
    """The limits."""
    return Operator()
