"""A record that a host or a plugin makes by hand refuses what it cannot hold with an error of Earwitness."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

import earwitness
from earwitness import Channel, Character, EarwitnessError, Message, Movement, Record, Share, State
from earwitness.errors import InputError

PUBLIC = [each for name in earwitness.__all__ if issubclass(each := getattr(earwitness, name), Record)]


class Strange:
    """What no field can hold."""


@pytest.mark.parametrize("record", PUBLIC, ids=lambda record: record.__name__)
def test_no_public_record_raises_an_error_of_another_package(record: type[Record]) -> None:
    refused = 0
    for field in record.model_fields:
        try:
            record(**{field: Strange()})
        except EarwitnessError:
            refused += 1
        except TypeError as error:  # a parameter without a default, as of any function
            assert "required" in str(error)  # noqa: PT017
    if record is State:  # which keeps keys of the host's own
        return
    assert refused or record in {Character, Record}
    if record not in {Character, Record}:
        with pytest.raises(InputError, match=r"there is no 'no_such_field'|is missing"):
            record(no_such_field=1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: Channel(context="pm"),
            r"Channel: context = 'pm' is not allowed.* 'dm', 'private_channel' or 'public_channel'",
        ),
        (lambda: Channel(context="privat_channel"), "Did you mean 'private_channel'"),
        (
            lambda: Channel(guild=3),
            "no 'guild', only context, channel_id, guild_id, persona_id. Did you mean 'guild_id'",
        ),
        (lambda: Channel(channel_id=7), "channel_id = 7 cannot be used"),
        (lambda: Character("alice", kind="narator"), "kind = 'narator' is not allowed.* Did you mean 'narrator'"),
        (lambda: Share(content="Psst."), "Share: character is missing"),
        (lambda: Movement(character="bob", kind="entr"), "Did you mean 'enter'"),
    ],
)
def test_the_value_is_quoted_and_what_is_allowed_is_listed(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]


def test_records_that_are_read_from_json_take_pydantics_own_way() -> None:
    """It is quicker, and tells all problems at once; `__init__` in between would make hot paths slower."""
    assert not Channel.__pydantic_custom_init__
    assert not Message.__pydantic_custom_init__
    with pytest.raises(ValidationError):
        Channel.model_validate({"context": "pm"})
