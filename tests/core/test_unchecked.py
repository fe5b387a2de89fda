"""A record that was made without validation is like any other."""

import copy
import pickle

import pytest
from pydantic import ValidationError

from earwitness.records.memory import Hit, Memory

FIELDS = {"id": "m", "container": "c", "content": "text", "metadata": {"gameDay": 1, "participants": ["alice"]}}


def test_a_record_made_without_validation_is_like_any_other() -> None:
    made, checked = Memory.unchecked(dict(FIELDS)), Memory(**FIELDS)
    assert made == checked
    assert repr(made) == repr(checked)
    assert made.model_dump_json() == checked.model_dump_json()
    assert made.model_fields_set == checked.model_fields_set
    assert made.model_copy(update={"id": "n"}) == checked.model_copy(update={"id": "n"})
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == checked
    assert Hit(memory=made, score=1) == Hit(memory=checked, score=1)


def test_it_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Memory.unchecked(dict(FIELDS)).id = "n"
