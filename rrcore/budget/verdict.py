"""The verdict before anything leaves: who could be guessed, what leaves, whether it protects, and what one more release would add."""

from __future__ import annotations

from dataclasses import dataclass

from rrcore.budget.risk import People, Risk, risk_of
from rrcore.budget.total import protects_little
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES, MAX_STRATA
from rrcore.promise import MechanismFile, mechanism_of_integers, stated_nats, unreleased_columns_sentence
from rrcore.wording import Quantity, counted

_NAMED = 8  # attributes that are named


@dataclass(frozen=True)
class Verdict:
    """What is true of a release by one mechanism file about certain people.

    Parameters
    ----------
    file : MechanismFile
    people : int
    columns : of how many columns the file's attributes are chosen; None where there is no table
    risks : of someone who knows the other answers, where there are some, and of someone who sees one; empty where people cannot be counted
    kept : names of columns that leave as they are, which whoever guesses sees
    fewest : how many people are alike in these, at least
    """

    file: MechanismFile
    people: int
    columns: int | None
    risks: tuple[Risk, ...]
    kept: tuple[str, ...] = ()
    fewest: int = 0

    @classmethod
    def of(cls, file: MechanismFile, people: People, columns: int | None = None) -> Verdict:
        """The verdict on a release by ``file`` of the answers of ``people``.

        Examples
        --------
        >>> import rrcore as rr
        >>> from rrcore.promise import MechanismFile, integer_groups
        >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
        >>> file = MechanismFile(table.schema, integer_groups(rr.Plan.for_levels(table, 3.0).build()))
        >>> found = Verdict.of(file, People(table), 4)
        >>> print(found.leaves)
        2 of 4 attributes of 2,201 people leave, randomised: Sex (2 categories), Survived (2).
        >>> print(found.little)
        The whole record protects little: one of 4 records can become likelier than all others together.
        """
        mechanism = mechanism_of_integers(file)
        if mechanism is None or mechanism.k > MAX_OPTIMAL_ATTRIBUTES or people.groups > MAX_STRATA:
            return cls(file, people.number, columns, (), people.kept, people.fewest)
        most, least = risk_of(mechanism, people, "others", exposed=True), risk_of(mechanism, people, "answer")
        risks = (most,) if least.knows == most.knows else (most, least)
        return cls(file, people.number, columns, risks, people.kept, people.fewest)

    @property
    def leaves(self) -> str:
        """What leaves, in one sentence."""
        attributes = self.file.schema.attributes
        sizes = [f"{a.name} ({a.size}{'' if i else ' categories'})" for i, a in enumerate(attributes[:_NAMED])]
        more = f" and {len(attributes) - _NAMED} more" if len(attributes) > _NAMED else ""
        whole = self.columns is None or self.columns == len(attributes)
        which = (
            counted(len(attributes), "attribute", "attributes") if whole else f"{len(attributes)} of {self.columns} attributes"
        )
        verb = "leaves" if len(attributes) == 1 and whole else "leave"
        return f"{which} of {counted(self.people, 'person', 'people')} {verb}, randomised: {', '.join(sizes)}{more}."

    @property
    def learnt(self) -> str:
        """What leaves as it is, and what that costs; empty where nothing does."""
        if not self.kept:
            return ""
        return (
            f"{unreleased_columns_sentence(self.kept)} The smallest group of them has {counted(self.fewest, 'person', 'people')}."
        )

    @property
    def little(self) -> str:
        """That the whole record protects little, in one sentence; empty where it does not, or there is no bound anyhow."""
        (total,) = stated_nats([self.file.certificate.total])
        return "" if total is None else protects_little(self.file.schema.sizes, total)

    @property
    def again(self) -> str:
        """What one more release like this would add, in one sentence; empty where there is no bound."""
        total = self.file.certificate.total
        if total is None:
            return ""
        both, once = Quantity("releases together", "two"), Quantity("whole record", "")
        rise = f"from {once.odds(total)} to {both.odds(total**2)}"
        return f"For whoever sees a second release like it, the odds of the whole record rise {rise}."

    def sentences(self) -> tuple[str, ...]:
        """All of it, the most important first."""
        told = (*self.guessed, self.little, self.learnt, self.leaves, self.again)
        return tuple(sentence for sentence in told if sentence)

    @property
    def guessed(self) -> tuple[str, ...]:
        """Who could be guessed, one sentence for each observer to whom the release helps; empty where people cannot be counted."""
        rest = [risk.short() if self.risks[0].most else risk.sentence() for risk in self.risks[1:] if risk.most]
        return tuple([risk.sentence() for risk in self.risks[:1]] + rest)
