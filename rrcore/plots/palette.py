"""Every colour of the workbench: Okabe and Ito's for data, safe for colour-blind readers, and those of light and dark pages."""

from dataclasses import dataclass

BLACK, WHITE = "#000000", "#FFFFFF"
BLUE, ORANGE, GREEN, PINK, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
OLIVE, VIOLET, GREY, SLATE = "#A89400", "#8E5EA2", "#7F8894", "#66727F"


@dataclass(frozen=True)
class Palette:
    """The colours that depend on the page's background."""

    truth: str
    text: str
    grid: str
    lost: str
    hatch: str
    sequential: tuple[tuple[float, str], ...]
    diverging: tuple[tuple[float, str], ...]
    background: str
    released: str = "#9AA5B1"
    estimate: str = BLUE


LIGHT = Palette(
    truth="#222222",
    text="#2B2F36",
    grid="#E3E6EA",
    lost="#ECEEF1",
    hatch="#9AA5B1",
    sequential=((0.0, "#F4F8FB"), (0.5, "#6FAED6"), (1.0, "#00416B")),
    diverging=((0.0, "#B04A00"), (0.25, "#E8A66B"), (0.5, "#F7F7F7"), (0.75, "#6FAED6"), (1.0, "#005A8F")),
    background=WHITE,
)

DARK = Palette(
    truth="#F2F2F2",
    text="#E4E7EB",
    grid="#343B45",
    lost="#2A3038",
    hatch="#6B7683",
    sequential=((0.0, "#1B222B"), (0.5, "#2E7FB5"), (1.0, "#CDE6F7")),
    diverging=((0.0, "#F08A3C"), (0.25, "#8C5528"), (0.5, "#20262E"), (0.75, "#2B6C98"), (1.0, "#6EC1F5")),
    background="#14181E",
    estimate="#3D9BDC",
)

CSS_VARIABLES = ";".join(
    f"--{name}:light-dark({getattr(LIGHT, of)},{getattr(DARK, of)})"  # the browser chooses, also when the theme changes in an open page
    for name, of in {
        "truth": "truth", "released": "released", "estimate": "estimate", "ink": "text", "line": "grid", "ground": "background",
        "tint": "lost",
    }.items()
) + f";--lie:{ORANGE}"  # fmt: skip
"""Colours for what pages draw in HTML, as variables of its style."""

SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, VERMILION, OLIVE, VIOLET, GREY)
"""Of curves that have no colour of their own, in the order in which they take them."""

THEMES = {
    "light": {
        "primaryColor": LIGHT.estimate,
        "backgroundColor": LIGHT.background,
        "secondaryBackgroundColor": "#F4F6F8",
        "textColor": "#111418",
        "linkColor": LIGHT.diverging[-1][1],
        "borderColor": "#D5DAE0",
    },
    "dark": {
        "primaryColor": DARK.estimate,
        "backgroundColor": DARK.background,
        "secondaryBackgroundColor": "#1D232B",
        "textColor": DARK.truth,
        "linkColor": DARK.diverging[-1][1],
        "borderColor": DARK.grid,
    },
}
"""What ``.streamlit/config.toml`` says of colours, which it cannot look up here: a test compares the two."""

MECHANISM_COLOURS = {
    "kronecker": ORANGE,
    "optimal": GREEN,
    "closed-form": SKY,
    "joint": PINK,
    "pair-safe": BLUE,
    "published": VERMILION,
    "safeguarded": SLATE,
    "design": OLIVE,
}
"""Key of ``RECIPES`` -> colour, the same in every figure."""


def mechanism_colour(name: str) -> str:
    """The colour of a mechanism by its name; those that are safe for joint distributions share one."""
    return MECHANISM_COLOURS.get(name, MECHANISM_COLOURS["pair-safe"])


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of #RRGGBB, 0 to 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def faint(colour: str, part: float = 0.2) -> str:
    """A colour in #RRGGBB, so much of it opaque."""
    return f"rgba({','.join(map(str, channels(colour)))},{part:g})"
