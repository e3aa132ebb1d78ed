"""The section of a report on people who were asked directly, beside those whose answers were randomised."""

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element

from rrcore.answers import Arms
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import denials
from rrcore.report.page import Content, html, section, table
from rrcore.wording import Quantity, counted


def split_sample(arms: Arms) -> Iterator[Element]:
    """What the two parts of a split sample say of every question; nothing where nobody was asked directly."""
    if arms.directly is None:
        return
    rows: list[list[Content]] = []
    for name in arms.randomised.mechanism.schema.names:
        with suppress(NotIdentifiableError):  # the report says what cannot be read
            for found in denials(arms.randomised.estimate([name]), arms.directly.estimate([name])):
                entry, quantity = found.to_dict(), Quantity("share", name, "the population")
                low, high = (float(end[found.cell]) for end in found.directly.interval(population=True))
                share = quantity.estimated(entry["asked_directly"], low, high)
                change = quantity.changed(entry["denial"], entry["low"], entry["high"])
                rows.append([name, *entry["categories"], share, change, f"{entry['p_value']:.3f}"])
    yield section(
        "Asked directly",
        html(
            "p",
            f"Chance picked {counted(arms.directly.n, 'person', 'people')} to answer directly. Their answers were handed in as they were "
            "given, and nothing protects them; every share above, and every sentence about randomised answers, is about the others. "
            "Denial is the share among the randomised less the share among those asked directly: above 0 where people deny when they are "
            "asked directly.",
        ),
        table(
            "Shares among people asked directly, and denial",
            ["Question", "Answer", "Asked directly (95 %)", "Denial in points (95 %)", "p"],
            rows,
            numbers=3,
        ),
    )
