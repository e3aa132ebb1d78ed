"""What a mechanism gives away, in three numbers that stand beside whatever it gains."""

from __future__ import annotations

from dataclasses import dataclass

from rrcore.mechanisms.base import Mechanism
from rrcore.wording import odds_text, total_text


@dataclass(frozen=True, order=True)
class Price:
    """The price of a mechanism, in nats.

    Parameters
    ----------
    alone : what one answer gives away on its own, of the attribute with the largest leakage
    known : what the same answer gives away in the full record, to someone who knows all others: the largest leakage
    total : the record-level budget
    """

    alone: float
    known: float
    total: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> Price:
        """The price of ``mechanism``.

        Examples
        --------
        >>> from rrcore.mechanisms import Kronecker
        >>> Price.of(Kronecker.from_levels([2, 3], [1.0, 2.0])).text
        'one answer × 7.39, full record × 7.39, total 3.00'
        """
        worst = int(mechanism.leakage.argmax())
        return cls(abs(float(mechanism.levels[worst])), float(mechanism.leakage[worst]), float(mechanism.total_level))

    @property
    def columns(self) -> dict[str, str]:
        """The three numbers under their headings: odds, odds, and nats."""
        return {
            "One answer": f"× {odds_text(self.alone)}",
            "Full record": f"× {odds_text(self.known)}",
            "Total (nats)": total_text(self.total),
        }

    @property
    def text(self) -> str:
        """The three numbers in words."""
        return f"one answer × {odds_text(self.alone)}, full record × {odds_text(self.known)}, total {total_text(self.total)}"
