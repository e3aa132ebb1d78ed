"""A text that is not UTF-8 is read where it is certain what it is in; else the candidates and what each of them reads are given."""

import codecs
import gzip

import pytest

from rrcore.errors import InputError
from rrcore.table import read_file, read_table, read_text_table
from rrcore.table.opening import open_file, open_stream
from rrcore.table.reading.encoding import UncertainEncodingError, find_encoding
from rrcore.table.scanning import survey

NAMES = "name,smokes\n"
UTF8, ODD = "Zoë,yes\n".encode(), "Jürgen,no\n".encode("cp1252")
MIXED = NAMES.encode() + (UTF8 + ODD) * 3
READ = {
    "mixed": (("Jürgen", "Zoë"), "Read as UTF-8 text, and as Windows-1252 where it is not UTF-8."),
    "latin-1": (("Jürgen", "ZoÃ«"), "Read as Windows-1252 text."),
}
ALPHABETS = {
    "windows-1250": ("Łódź", "Żary", "Łęczyca"),
    "windows-1251": ("Москва", "Тверь", "Самара"),
    "windows-1254": ("Şişli", "Kadıköy", "İzmir"),
    "koi8-r": ("Москва", "Тверь", "Самара"),
    "shift_jis": ("東京", "大阪", "はい"),
    "gb18030": ("男", "女", "北京"),
    "euc_kr": ("서울", "부산", "여자"),
    "windows-1253": ("άνδρας", "γυναίκα", "άλλο"),
    "big5": ("臺北", "高雄", "同意"),
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
@pytest.mark.parametrize("encoding", ALPHABETS)
def test_other_alphabets_are_asked_about_and_read_as_is_said(place, road, encoding):
    cells = ALPHABETS[encoding]
    place.write_bytes((NAMES + "".join(f"{cell},no\n{cell},yes\n" for cell in cells)).encode(encoding))
    with pytest.raises(UncertainEncodingError) as caught:
        road(place)
    assert encoding in caught.value.candidates
    assert set(caught.value.candidates[encoding]) == set(cells)
    assert len(caught.value.candidates) > 1
    assert all(cell not in caught.value.discreet for cell in cells)
    assert set(road(place, encoding=encoding)[0]) == set(cells)


@pytest.mark.parametrize("text", ["Größe,Männer", "à,garçon,forêt", "L’été,café", "ação,não,você", "Zoë,naïve", "blåbær,øl"])
def test_western_letters_are_read_without_a_question(text):
    assert find_encoding([text.encode("cp1252")]) == "windows-1252"


@ROADS
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_in_two_encodings_is_refused_with_what_either_reads(place, road, end):
    place.write_bytes(MIXED.replace(b"\n", end.encode()))
    with pytest.raises(UncertainEncodingError) as caught:
        road(place)
    assert caught.value.candidates == {"mixed": ("Zoë", "Jürgen"), "windows-1252": ("ZoÃ«", "Jürgen")}
    assert caught.value.lines == (2, 3)
    assert "'encoding' mixed or windows-1252" in str(caught.value)


@ROADS
@pytest.mark.parametrize("encoding", READ)
@pytest.mark.parametrize("packed", [False, True])
def test_it_is_read_as_is_said(place, road, encoding, packed):
    if packed:
        place.write_bytes(gzip.compress(MIXED))
    values, note = READ[encoding]
    assert road(place, encoding=encoding) == (values, (note,))


@ROADS
@pytest.mark.parametrize(("data", "encoding"), [(UTF8, ""), (UTF8, "mixed"), (UTF8, "utf-8"), (ODD, ""), (ODD, "cp1252")])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_where_there_is_no_doubt_nothing_is_asked(place, road, encoding, data, mark):
    place.write_bytes(mark * (data is UTF8) + NAMES.encode() + 3 * data + b"x,no\n")
    values, notes = road(place, encoding=encoding)
    assert values[0] in ("Zoë", "Jürgen")
    assert notes == (
        ("Read as Windows-1252 text.",) if data is ODD else READ["mixed"][1:] if encoding == "mixed" and not mark else ()
    )


@ROADS
@pytest.mark.parametrize("first", [UTF8, ODD])
def test_the_doubt_is_found_wherever_it_begins(place, road, first):
    other = ODD if first is UTF8 else UTF8
    far = 5 * 2**17  # beyond the part of a file that is looked at for its names
    place.write_bytes(NAMES.encode() + first + b"Ann,yes\n" * far + other)
    with pytest.raises(UncertainEncodingError) as caught:
        road(place)
    assert caught.value.lines == ((2, far + 3) if first is UTF8 else (far + 3, 2))


def test_a_large_file_whose_beginning_is_ascii_is_read_by_all_of_it(place):
    place.write_bytes(NAMES.encode() + b"Ann,yes\n" * (5 * 2**17) + ODD)
    assert in_batches(place) == whole(place) == (("Ann", "Jürgen"), ("Read as Windows-1252 text.",))


@pytest.mark.parametrize("size", range(1, 8))
def test_characters_cut_by_blocks_are_whole(size):
    text = "aé€😀\n".encode() * 3
    assert find_encoding(text[i : i + size] for i in range(0, len(text), size)) == "utf-8"
    odd = text + "Größe\n".encode("cp1252")
    with pytest.raises(UncertainEncodingError) as caught:
        find_encoding(odd[i : i + size] for i in range(0, len(odd), size))
    assert caught.value.lines == (1, 4)


def test_bytes_that_windows_lacks_and_sequences_cut_short_are_read(place):
    place.write_bytes(NAMES.encode() + UTF8 + b"\x81\x80,no\n\xe2\x82,no\n")
    assert set(whole(place, encoding="mixed")[0]) == set(in_batches(place, encoding="mixed")[0]) == {"Zoë", "\ufffd€", "â‚"}


def test_every_way_into_the_library_takes_the_encoding(place):
    for read in (open_file, read_text_table):
        with pytest.raises(UncertainEncodingError):
            read(MIXED, "people.csv")
    file = open_file(MIXED, "people.csv", "mixed")
    assert file.read().names == ("name", "smokes")
    assert read_table(place, columns=["name"], encoding="mixed").schema.attributes[0].categories == ("Jürgen", "Zoë")
    for wrong in ("nonsense", "rot13"):
        with pytest.raises(InputError, match=f"no encoding '{wrong}"):
            read_table(place, encoding=wrong)
    with pytest.raises(InputError, match="utf-8"):
        read_table(place, encoding="utf-8")
