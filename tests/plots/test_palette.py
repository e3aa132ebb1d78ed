"""Colors are defined in the palette alone. Style sheets and the configuration repeat its colors."""

import re
import tomllib
from pathlib import Path

import pytest

from rrcore.plots import palette
from tests.contrast import ENOUGH, contrast, shades

ROOT = Path(__file__).parents[2]
HEX = re.compile(r"#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})\b")
KNOWN = set(HEX.findall(Path(palette.__file__).read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", ["rrcore/plots", "pages"])
def test_no_other_file_writes_a_color(folder):
    files = [file for file in (ROOT / folder).rglob("*.py") if file.name != "palette.py"]
    assert {file: found for file in files if (found := HEX.findall(file.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize("name", ["page.css", "start.css", "icon.svg", "logo.svg", "logo-dark.svg"])
def test_style_sheets_and_logos_use_colors_of_the_palette(name):
    found = HEX.findall((ROOT / "assets" / name).read_text(encoding="utf-8"))
    assert found
    assert set(found) <= KNOWN


def test_the_themes_of_the_dashboard_are_the_palettes():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert {name: config["theme"][name] for name in palette.THEMES} == palette.THEMES


@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("theme", palette.THEMES.values(), ids=palette.THEMES)
def test_text_of_the_dashboard_can_be_read_also_where_it_is_faded(theme, ground):
    """Streamlit writes captions and names of widgets in the color of text, six tenths opaque."""
    inks = [theme["textColor"], theme["linkColor"], theme["primaryColor"]]
    assert min(contrast(ink, theme[ground]) for ink in inks) >= ENOUGH
    faded = "rgb({:.0f}, {:.0f}, {:.0f})".format(*255 * (0.6 * shades(theme["textColor"]) + 0.4 * shades(theme[ground])))
    assert contrast(faded, theme[ground]) >= ENOUGH


def test_a_faint_color_is_the_same_color_and_partly_opaque():
    assert palette.channels("#0072B2") == (0, 114, 178)
    assert palette.faint("#0072B2") == "rgba(0,114,178,0.2)"
    assert palette.faint("#0072B2", 0.28) == "rgba(0,114,178,0.28)"
