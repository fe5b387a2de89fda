"""Text as blobs: what went in comes out, and damage is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness.errors import StorageCorrupt
from earwitness_plugins.sqlite.blobs import DamagedBlob, deflated, inflated

PLAN = '{"session":"s1","sequence":7,"key":"#7","message":{"message":{"key":"#7","sequence":7,"revision":0,"speaker":"'


@given(st.text())
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    assert inflated(deflated(text)) == text


def test_what_looks_like_a_record_takes_little_room() -> None:
    assert len(deflated(PLAN)) < len(PLAN) / 3


@pytest.mark.parametrize("blob", [b"", b"\x00", b"\xff" + deflated(PLAN)[1:], deflated(PLAN)[:-9], b"\x00garbage"])
def test_a_blob_that_is_damaged_is_named(blob: bytes) -> None:
    with pytest.raises(DamagedBlob, match=f"a blob of {len(blob)} bytes cannot be inflated"):
        inflated(blob)


async def test_a_file_with_a_damaged_blob_is_a_damaged_file(words: Any) -> None:
    for way in (words.database.read, words.database.read_inline, words.database.write):
        with pytest.raises(StorageCorrupt, match="is damaged"):
            await way(lambda connection: inflated(b"\x00garbage"))
