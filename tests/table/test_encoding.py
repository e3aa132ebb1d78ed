"""A text that is UTF-8 in some places and Windows-1252 in others is refused with what either choice reads, and read as is said."""

import gzip

import pytest

from rrcore.errors import InputError
from rrcore.table import Layout, guess_layout, open_file, read_file, read_table, read_text_table
from rrcore.table.reading import MixedEncodingError
from rrcore.table.reading.encoding import MARK, find_encoding
from rrcore.table.stream import open_stream, survey

NAMES = "name,smokes\n"
UTF8, ODD = "Zoë,yes\n".encode(), "Jürgen,no\n".encode("cp1252")
MIXED = NAMES.encode() + (UTF8 + ODD) * 3
SENTENCE = (
    "The text is UTF-8 in line 2 and not in line 3: line 2 has 'Zoë,yes' as mixed and 'ZoÃ«,yes' as latin-1. Save it again as UTF-8, or say "
    "how it is read, with 'encoding' mixed or latin-1."
)
READ = {
    "mixed": (("Jürgen", "Zoë"), "Read as UTF-8 text, and as Windows-1252 where it is not UTF-8."),
    "latin-1": (("Jürgen", "ZoÃ«"), "Read as Latin-1 text."),
}


def whole(place, **how):
    table, _ = read_file(place.read_bytes(), place.name, **how)
    return table.column("name").values, table.notes


def in_batches(place, **how):
    found = survey(open_stream(place, **how))
    return found.columns[0].values, found.notes


ROADS = pytest.mark.parametrize("road", [whole, in_batches])


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "people.csv"
    place.write_bytes(MIXED)
    return place


@ROADS
def test_a_text_in_two_encodings_is_refused_in_one_sentence(place, road):
    with pytest.raises(MixedEncodingError) as caught:
        road(place)
    assert str(caught.value) == SENTENCE
    assert caught.value.discreet == SENTENCE.replace("'Zoë,yes' as mixed and 'ZoÃ«,yes' as latin-1", "...")
    assert [(each.line, each.mixed, each.latin) for each in caught.value.examples] == [
        (2, "Zoë,yes", "ZoÃ«,yes"),
        (3, "Jürgen,no", "Jürgen,no"),
    ]


@ROADS
@pytest.mark.parametrize("encoding", READ)
@pytest.mark.parametrize("packed", [False, True])
def test_it_is_read_as_is_said(place, road, encoding, packed):
    if packed:
        place.write_bytes(gzip.compress(MIXED))
    values, note = READ[encoding]
    assert road(place, encoding=encoding) == (values, (note,))


@ROADS
@pytest.mark.parametrize("encoding", ["", "mixed", "latin-1"])
@pytest.mark.parametrize(
    ("data", "notes"),
    [(NAMES.encode() + 3 * UTF8 + b"x,no\n", ()), (NAMES.encode() + 3 * ODD + b"x,no\n", ("Read as Latin-1 text.",))],
)
@pytest.mark.parametrize("mark", [b"", MARK])
def test_where_there_is_no_doubt_nothing_is_asked_or_changed(place, road, encoding, data, notes, mark):
    place.write_bytes(mark + data)
    values, told = road(place, encoding=encoding)
    assert values[0] in ("Zoë", "Jürgen")
    assert told == notes


@ROADS
@pytest.mark.parametrize("first", [UTF8, ODD])
def test_the_doubt_is_found_wherever_it_begins(place, road, first):
    other = ODD if first is UTF8 else UTF8
    far = 17 * 2**20 // len(first)  # beyond the part of a file that is looked at for its names
    place.write_bytes(NAMES.encode() + first * far + other)
    with pytest.raises(InputError) as caught:
        road(place)
    assert f"line {far + 2:,}" in str(caught.value)
    assert [each.line for each in caught.value.examples] == ([2, far + 2] if first is UTF8 else [far + 2, 2])


def test_a_large_file_that_is_latin_throughout_is_read_though_its_beginning_is_ascii(place):
    place.write_bytes(NAMES.encode() + b"Ann,yes\n" * (17 * 2**17) + ODD)
    assert in_batches(place) == whole(place) == (("Ann", "Jürgen"), ("Read as Latin-1 text.",))


@pytest.mark.parametrize("size", range(1, 8))
def test_characters_cut_by_blocks_are_whole(size):
    text = "aé€😀\n".encode() * 3
    assert find_encoding(text[i : i + size] for i in range(0, len(text), size)) == "utf-8"
    doubt = find_encoding((text + b"\xe9\xe2\x82\n")[i : i + size] for i in range(0, len(text) + 4, size))
    assert [each.line for each in doubt.examples] == [1, 4]
    assert find_encoding((b"\xe9\xe2\x82\n\xe2\x82")[i : i + size] for i in range(0, 6, size)) == "latin-1"


def test_bytes_that_windows_lacks_and_sequences_cut_short_are_characters(place):
    place.write_bytes(NAMES.encode() + UTF8 + b"\x81\x80,no\n\xe2\x82,no\n")
    assert set(whole(place, encoding="mixed")[0]) == set(in_batches(place, encoding="mixed")[0]) == {"Zoë", "\x81€", "â‚"}


def test_every_way_into_the_library_takes_the_encoding(place):
    with pytest.raises(MixedEncodingError):
        open_file(MIXED, "people.csv")
    with pytest.raises(MixedEncodingError):
        read_text_table(MIXED, "people.csv")
    file = open_file(MIXED, "people.csv", "mixed")
    layout = guess_layout(file).layout
    assert layout.encoding == "mixed"
    assert file.read().names == file.read(layout).names == read_text_table(MIXED, "people.csv", Layout(encoding="mixed")).names
    assert read_table(place, columns=["name"], encoding="mixed").schema.attributes[0].categories == ("Jürgen", "Zoë")
    with pytest.raises(InputError, match="There is no 'encoding' utf-7 to decide by: give mixed or latin-1"):
        read_table(place, encoding="utf-7")
