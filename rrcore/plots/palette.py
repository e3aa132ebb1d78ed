"""All colors of the workbench.

Data have the colors of Okabe and Ito, which are safe for color-blind readers. Light and dark pages have separate colors.
"""

from dataclasses import dataclass

BLACK, WHITE = "#000000", "#FFFFFF"
BLUE, ORANGE, GREEN, PINK, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
OLIVE, VIOLET, GREY, SLATE = "#A89400", "#8E5EA2", "#7F8894", "#66727F"


@dataclass(frozen=True)
class Palette:
    """Colors that depend on the background of the page.

    Text in the color ``truth`` is legible on every color of both scales.
    """

    truth: str
    text: str
    grid: str
    lost: str
    hatch: str
    sequential: tuple[tuple[float, str], ...]
    background: str
    released: str = "#9AA5B1"
    estimate: str = BLUE


LIGHT = Palette(
    truth="#222222",
    text="#2B2F36",
    grid="#E3E6EA",
    lost="#ECEEF1",
    hatch="#9AA5B1",
    sequential=((0.0, "#F4F8FB"), (1.0, "#62A7D2")),
    background=WHITE,
)

DARK = Palette(
    truth="#F2F2F2",
    text="#E4E7EB",
    grid="#343B45",
    lost="#2A3038",
    hatch="#6B7683",
    sequential=((0.0, "#1B222B"), (1.0, "#256A9E")),
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
"""Colors for what pages draw in HTML, as variables of its style."""

THEMES = {
    "light": {
        "primaryColor": LIGHT.estimate,
        "backgroundColor": LIGHT.background,
        "secondaryBackgroundColor": "#F4F6F8",
        "textColor": "#111418",
        "linkColor": "#005A8F",
        "borderColor": "#D5DAE0",
    },
    "dark": {
        "primaryColor": DARK.estimate,
        "backgroundColor": DARK.background,
        "secondaryBackgroundColor": "#1D232B",
        "textColor": DARK.truth,
        "linkColor": "#6EC1F5",
        "borderColor": DARK.grid,
    },
}
"""Colors that ``.streamlit/config.toml`` repeats, because it cannot import them. A test compares the two."""

MECHANISM_COLORS = {
    "independent": ORANGE,
    "optimal": GREEN,
    "closed-form": SKY,
    "joint": PINK,
    "preserving-2": BLUE,
    "heuristic": VERMILION,
    "constrained": SLATE,
    "workload": OLIVE,
}
"""Key of ``RECIPES`` -> color, the same in every figure."""


def mechanism_color(name: str) -> str:
    """Return the color of a mechanism by its name.

    Mechanisms that preserve more attributes have the color of those that preserve pairs.
    """
    return MECHANISM_COLORS.get(name, MECHANISM_COLORS["preserving-2"])


def channels(color: str) -> tuple[int, int, int]:
    """Return the red, green and blue components of #RRGGBB, 0 to 255."""
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def faint(color: str, part: float = 0.2) -> str:
    """Return a color in #RRGGBB with this opacity."""
    return f"rgba({','.join(map(str, channels(color)))},{part:g})"
