"""A JSON Schema of rule files, so that editors complete and check them while they are written.

It knows every shape and spelling that `forms` reads. What a schema cannot say, `earwitness rules check` says.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, TypeAdapter

from earwitness.formats import camel

from .forms import FEED, MEMBER, PANTHEON, RELATIONSHIP, RULES, SWITCHES, TO_EVERYBODY
from .records import Budget, Conditions, Feed, Lasting, Member, Pantheon, RelationshipRule, Rules

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> Schema:
    """The schema, as JSON-ready data."""
    pantheon = {"$ref": "#/$defs/pantheon"}
    pantheons = {"type": "object", "additionalProperties": {"anyOf": [pantheon, {"type": "null"}]}}
    beside = {"feeds": {"$ref": "#/$defs/feeds"}, "$schema": {"type": "string"}}
    return {
        "$schema": DIALECT,
        "title": "Earwitness rule file",
        "description": "Who tells what to whom: pantheons by slug, one pantheon, or a list of them.",
        "type": "object",
        "anyOf": [
            {
                "properties": {"pantheons": {"anyOf": [pantheons, {"type": "array", "items": pantheon}]}, **beside},
                "required": ["pantheons"],
                "additionalProperties": False,
            },
            {**_table(Pantheon, PANTHEON), "required": ["slug"]}
            | {"properties": {**_table(Pantheon, PANTHEON)["properties"], **beside}},
            {**pantheons, "properties": beside, "propertyNames": {"not": {"enum": [*PANTHEON, "pantheons"]}}},
        ],
        "$defs": _definitions(),
    }


def _definitions() -> dict[str, Schema]:
    member, relationship = _table(Member, MEMBER), _table(RelationshipRule, RELATIONSHIP)
    relationship["properties"]["mutual"] = {"type": "boolean", "description": "Whether it holds both ways."}
    feed = {"anyOf": [{"type": "string"}, _table(Feed, FEED)]}
    by_id = {"anyOf": [{"enum": ["leader", "member", "observer"]}, member, {"type": "null"}]}
    return {
        "pantheon": _table(Pantheon, PANTHEON),
        "members": {
            "anyOf": [
                {"type": "array", "items": {"anyOf": [{"type": "string"}, member]}},
                {"type": "object", "additionalProperties": by_id},
            ]
        },
        "relationships": {"type": "array", "items": relationship},
        "rules": _rules(),
        "feeds": {"type": "object", "additionalProperties": feed},
    }


def _rules() -> Schema:
    options = _table(Rules, RULES)
    names = [spelling for name in SWITCHES for spelling in dict.fromkeys((name, camel(name)))]
    name = {"enum": names}
    return {"anyOf": [options, name, {"type": "array", "items": {"anyOf": [name, options]}}]}


def _table(record: type[BaseModel], spellings: Mapping[str, str]) -> Schema:
    """A table with these keys, in snake_case and camelCase."""
    descriptions = _descriptions(record)
    properties: Schema = {}
    for spelling, field in spellings.items():
        if field in record.model_fields:
            found = {**_value(record, field), "description": descriptions[field]}
            properties |= dict.fromkeys((spelling, camel(spelling)), found)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value(record: type[BaseModel], field: str) -> Schema:
    if field in ("members", "relationships", "rules"):
        return {"$ref": f"#/$defs/{field}"}
    if field in TO_EVERYBODY:
        to_all = {"to": {"const": "all_members"}, "as": _value(Rules, "manner")}
        return {"anyOf": [{"type": "boolean"}, {"type": "object", "properties": to_all, "additionalProperties": False}]}
    if field in ("budget", "conditions"):
        inner: type[BaseModel] = Budget if field == "budget" else Conditions
        table = _table(inner, {name: name for name in inner.model_fields})
        return {"anyOf": [{"type": "integer", "minimum": 0}, table]} if field == "budget" else table
    return _plain(record.model_fields[field].annotation, field)


def _plain(annotation: Any, field: str) -> Schema:
    found = TypeAdapter(annotation).json_schema()
    if field in ("flags", "places"):
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, found]}
    is_list = any(each.get("type") == "array" for each in [found, *found.get("anyOf", ())])
    return {"anyOf": [{"type": "string"}, *found.get("anyOf", [found])]} if is_list else found


def _descriptions(record: type[BaseModel]) -> dict[str, str]:
    """Field → the line below it in the source."""
    found: dict[str, str] = {}
    for each in reversed([base for base in record.__mro__ if base in (record, Lasting)]):
        body = ast.parse(inspect.getsource(each)).body[0].body  # type: ignore[attr-defined]
        found |= {
            ast.unparse(field.target): " ".join(ast.literal_eval(said.value).split())
            for field, said in pairwise(body)
            if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr)
        }
    return found
