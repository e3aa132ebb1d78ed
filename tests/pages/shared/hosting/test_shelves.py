"""Where ledgers and surveys may be: what is listed, what a name may be, and what is nowhere."""

import os

import pytest

from pages.shared.hosting.shelves import Shelf
from rrcore.errors import InputError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kept").mkdir()
    for name in ("b.ledger", "a b.ledger", ".hidden.ledger", "notes.txt", "c.survey"):
        (tmp_path / "kept" / name).write_bytes(b"")
    (tmp_path / "secret.ledger").write_bytes(b"")
    os.symlink(tmp_path / "secret.ledger", tmp_path / "kept" / "link.ledger")
    (tmp_path / "kept" / "d.ledger").mkdir()
    return tmp_path / "kept"


def test_files_of_that_kind_are_listed_and_nothing_else(folder):
    assert Shelf("ledger", folder).names() == ("a b.ledger", "b.ledger")
    assert Shelf("survey", folder).names() == ("c.survey",)
    assert Shelf("ledger", folder).place("b.ledger") == str(folder / "b.ledger")
    assert Shelf("ledger", None).names() == ()
    assert Shelf("ledger", folder / "none").names() == ()


def test_what_is_not_listed_is_nowhere_in_the_same_words(folder):
    said = set()
    for name in (
        "link.ledger",
        "../secret.ledger",
        str(folder / "b.ledger"),
        ".hidden.ledger",
        "notes.txt",
        "d.ledger",
        "",
        "no.ledger",
    ):
        with pytest.raises(InputError) as told:
            Shelf("ledger", folder).place(name)
        said.add(str(told.value))
    assert said == {"There is no ledger of that name here: choose one of the list."}


@pytest.mark.parametrize("name", ["panel 2026", "panel 2026.ledger", " Größe-1_b ", "a.b"])
def test_a_plain_name_becomes_a_file_of_the_folder(folder, name):
    assert os.path.dirname(Shelf("ledger", folder).new(name)) == str(folder)
    assert Shelf("ledger", folder).new(name).endswith(f"{name.strip().removesuffix('.ledger')}.ledger")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "/x", "a..b", ".x", "-x", "x\0", "x\ny", "x" * 61, "\u202ex", "sqlite:x", "~"]
)
def test_other_names_are_refused(folder, name):
    with pytest.raises(InputError, match="The name of a ledger has letters"):
        Shelf("ledger", folder).new(name)


def test_a_folder_cannot_be_filled_up(folder, monkeypatch):
    monkeypatch.setattr("pages.shared.hosting.shelves.MAX_SHELF", 2)
    with pytest.raises(InputError, match="There are 2 of them already"):
        Shelf("ledger", folder).new("one more")


def test_errors_say_names_and_no_places(folder):
    shelf = Shelf("ledger", folder, ("/elsewhere/x.ledger",))
    assert (
        shelf.said(InputError(f"'{folder}/b.ledger' is bad, and '/elsewhere/x.ledger' too."))
        == "'b.ledger' is bad, and 'x.ledger' too."
    )
    assert shelf.said(InputError(f"There is no ledger '{folder}/gone.ledger'.")) == "There is no ledger 'gone.ledger'."
