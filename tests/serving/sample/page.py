"""A table, given in the address, as every kind of file that a page can hand to a browser."""

import struct
import zlib

import streamlit as st

from pages.shared.hosting import login

login.ask()
asked = st.query_params


def picture(shade):
    """A PNG of one pixel."""

    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(bytes((0, shade, 0, 0)))) + part(b"IEND", b"")


rows, middle = int(asked.get("rows", 40)), asked.get("middle", "")
cells = ["yes"] * int(asked.get("yes", 21))
cells += ["no"] * (rows - len(cells))
if middle:
    cells[rows // 3] = middle
table = "".join(f"{number:06},{cell}\n" for number, cell in enumerate(cells)).encode()
st.download_button("Made before", table, "table.csv", "text/csv")
st.download_button("Made when pressed", lambda: table, "table.csv", "text/csv", on_click="ignore")
st.image(picture(len(table) % 256))
st.audio(b"RIFF\x24\x00\x00\x00WAVEfmt ", format="audio/wav")
