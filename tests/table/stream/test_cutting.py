"""A large CSV is cut into pieces only where a record certainly begins: what is read is what reading it as one piece gives."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.stream import randomise_stream
from rrcore.table import Attribute, Schema
from rrcore.table.opening import open_stream
from rrcore.table.reading import text as text_module
from rrcore.table.scanning import Coded, coder, count, survey

BLOCK, PIECE = 64, 400  # bytes, of a file small enough to be tried in every way
PLAIN = "no,1\nyes,22\n" * 20
ODD = [
    "\n",
    ",",
    '"',
    '""',
    "no",
    "x",
    " ",
    "\r\n",
    '"no",1\n',
    'no,"two\nlines"\n',
    '5" pipe,1\n',
    '"a""b",2\n',
    "é,3\n",
    '"open,1\n',
]


def read(path, block, piece):
    """Every value and how often it occurs, or that the file is refused; and into how many pieces it was cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "BLOCK_BYTES", block)
        patch.setattr(text_module, "_PIECE_BYTES", piece)
        stream = open_stream(path)
        try:
            found = survey(stream)
        except InputError:
            return "refused", len(stream.pieces())
        return [
            (column.name, dict(zip(column.values, column.counts, strict=True)), column.missing) for column in found.columns
        ], len(stream.pieces())


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("cutting") / "t.csv"


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.just(PLAIN), st.sampled_from(ODD), st.lists(st.sampled_from(ODD), max_size=9).map("".join)), max_size=9)
)
def test_hostile_quoting_is_read_as_in_one_piece(place, parts):
    place.write_text("smokes,age\n" + PLAIN + "".join(parts), encoding="utf-8", newline="")
    whole, one = read(place, BLOCK, 2**20)
    cut, _ = read(place, BLOCK, PIECE)
    assert one == 1
    assert cut == whole


def test_a_plain_file_is_cut_and_a_quoted_one_is_not(place):
    place.write_text("smokes,age\n" + PLAIN * 10, newline="")
    whole, one = read(place, BLOCK, 2**20)
    cut, pieces = read(place, BLOCK, PIECE)
    assert (cut, one, pieces) == (whole, 1, 6)
    place.write_text("smokes,age\n" + PLAIN.replace("no", '"no"') * 10, newline="")
    assert read(place, BLOCK, PIECE)[1] == 1


def test_a_long_quoted_text_is_refused_and_not_taken_for_rows(place):
    """Its lines look like rows; in one piece it is a row of more than two blocks."""
    place.write_text("smokes,age\n" + PLAIN * 2 + 'no,"' + PLAIN * 6 + '"\n' + PLAIN * 3, newline="")
    assert read(place, BLOCK, 2**20)[0] == "refused"
    cut, pieces = read(place, BLOCK, PIECE)
    assert (cut, pieces > 1) == ("refused", True)


def test_errors_name_the_row_and_the_record_of_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(text_module, "_PIECE_BYTES", PIECE)
    schema = Schema((Attribute("smokes", ("no", "yes")), Attribute("age", ("1", "22"))))
    file = MechanismFile(schema, integer_groups(build("kronecker", (2, 2), [1.0, 1.0])))
    place = tmp_path / "t.csv"
    place.write_text("smokes,age\n" + PLAIN * 8 + "perhaps,1\n" + PLAIN, newline="")
    stream = open_stream(place)
    assert len(stream.pieces()) > 3
    with pytest.raises(InputError, match=r"Record 321 of '.*' cannot be randomized: an answer to 'smokes'"):
        randomise_stream(file, stream, tmp_path / "out.csv")
    place.write_text("smokes,age\n" + PLAIN * 8 + "no,1,2\n" + PLAIN, newline="")
    with pytest.raises(InputError, match=r"Row 322 of '.*' has 3 values"):
        count(Coded(open_stream(place), coder(schema)), [("age",)])


def test_pieces_meet_and_records_keep_their_order(place, tmp_path):
    place.write_text("\ufeffnumber\n" + "".join(f"{i:05}\n" for i in range(1000)), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "BLOCK_BYTES", BLOCK)
        patch.setattr(text_module, "_PIECE_BYTES", PIECE)
        pieces = open_stream(place).pieces()
        found = [text for piece in pieces for batch in piece.batches() for text in batch.column("number").to_pylist()]
        before = [piece.before() for piece in pieces]
    assert found == [f"{i:05}" for i in range(1000)]
    assert all(one.end == other.start for one, other in itertools.pairwise(pieces))
    assert (pieces[0].start, pieces[-1].end, len(pieces) > 5) == (0, place.stat().st_size, True)
    np.testing.assert_array_equal(np.diff(before) * 6, [piece.bytes - (3 + 7 if not piece.start else 0) for piece in pieces[:-1]])
