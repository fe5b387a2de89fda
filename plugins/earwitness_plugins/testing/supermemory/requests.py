"""What the bodies and queries of requests may hold. Unknown keys, nulls and wrong types are refused."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

NAMESPACE = re.compile(r"[a-zA-Z0-9_:-]{1,100}\Z")
ID = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")
DEEPEST, MOST_OPERANDS = 5, 200
LARGEST = 1_000_000
"""Bytes of a text."""


class RequestBody(BaseModel):
    """The base of all bodies: camelCase, strict, nothing unknown."""

    model_config = ConfigDict(strict=True, extra="forbid")


def _is_id(value: str) -> str:
    if not ID.match(value):
        raise ValueError("an id has 1 to 100 of A-Z, a-z, 0-9, _ and -")
    return value


def _is_metadata_value(value: Any) -> Any:
    if isinstance(value, str | bool) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise ValueError("a metadata value is a string, a number, a boolean or an array of strings")


def _is_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number is needed")  # noqa: TRY004 - pydantic reports ValueError
    return value


DocumentId = Annotated[str, AfterValidator(_is_id)]
DocumentMetadata = dict[str, Annotated[Any, BeforeValidator(_is_metadata_value)]]
JsonNumber = Annotated[float, BeforeValidator(_is_number)]
TaskType = Literal["memory", "superrag"]
Dreaming = Literal["dynamic", "instant"]


class NewDocument(RequestBody):
    """A document to add."""

    content: Annotated[str, Field(min_length=1)]
    id: DocumentId = ""
    supporting_context: Annotated[str, Field(alias="supportingContext", max_length=1_500)] = ""
    metadata: DocumentMetadata = {}
    group: DocumentMetadata = {}
    date: str = ""


class AddRequest(NewDocument):
    """`POST /ns/{ns}/document`."""

    task_type: TaskType = Field(default="memory", alias="taskType")
    dreaming: Dreaming = "dynamic"


class BatchRequest(RequestBody):
    """`POST /ns/{ns}/document/batch`. Its documents are judged one by one."""

    documents: Annotated[list[Any], Field(min_length=1, max_length=600)]
    task_type: TaskType = Field(default="memory", alias="taskType")
    dreaming: Dreaming = "dynamic"


class UpdateRequest(RequestBody):
    """`PATCH /ns/{ns}/document/{id}`."""

    content: Annotated[str, Field(min_length=1)] = ""
    supporting_context: Annotated[str, Field(alias="supportingContext", max_length=1_500)] = ""
    metadata: DocumentMetadata = {}
    group: DocumentMetadata = {}
    date: str = ""
    task_type: TaskType = Field(default="memory", alias="taskType")
    dreaming: Dreaming = "dynamic"


class IdsRequest(RequestBody):
    """`DELETE /ns/{ns}/document` and `DELETE /ns/{ns}/memories`."""

    ids: Annotated[list[str], Field(min_length=1)]


class ForgetRequest(RequestBody):
    """`DELETE /ns/{ns}/memories/semantic`."""

    query: Annotated[str, Field(min_length=1)]
    dry_run: bool = Field(alias="dryRun")


class TextCondition(RequestBody):
    """A comparison of a string."""

    field: str
    operator: Literal["eq", "neq", "contains", "notContains"]
    value: str
    case_sensitive: bool = Field(default=False, alias="caseSensitive")


class ValueCondition(RequestBody):
    """A comparison of a number or boolean by equality."""

    field: str
    operator: Literal["eq", "neq"]
    value: bool | JsonNumber


class OrderCondition(RequestBody):
    """A comparison of numbers by order."""

    field: str
    operator: Literal["gt", "gte", "lt", "lte"]
    value: JsonNumber


class ElementCondition(RequestBody):
    """What an array has."""

    field: str
    operator: Literal["arrayContains", "arrayNotContains"]
    value: str


class ConditionGroup(RequestBody):
    """Conditions joined."""

    operator: Literal["and", "or"]
    operands: Annotated[list[AnyCondition], Field(min_length=1)]


AnyCondition = TextCondition | ValueCondition | OrderCondition | ElementCondition | ConditionGroup


def _is_small(filter: AnyCondition | None) -> AnyCondition | None:
    level, deep, operands = [filter], 0, 0
    while groups := [each for each in level if isinstance(each, ConditionGroup)]:
        level = [operand for group in groups for operand in group.operands]
        deep, operands = deep + 1, operands + len(level)
    if deep > DEEPEST or operands > MOST_OPERANDS:
        raise ValueError(f"a filter has at most {DEEPEST} levels and {MOST_OPERANDS} operands")
    return filter


CheckedCondition = Annotated[AnyCondition, AfterValidator(_is_small)]


class SearchInclude(RequestBody):
    """What a search brings along."""

    documents: bool = False
    related: bool = False
    forgotten: bool = False


class SearchRequest(RequestBody):
    """`POST /ns/{ns}/search`."""

    query: Annotated[str, Field(min_length=1)]
    filter: CheckedCondition = None  # type: ignore[assignment] # null is refused, leaving it out is not
    search_mode: Literal["hybrid", "memories", "chunks"] = Field(default="hybrid", alias="searchMode")
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    include: SearchInclude = SearchInclude()
    threshold: Annotated[JsonNumber, Field(ge=0, le=1)] = 0.3
    rerank: Literal["none", "order", "aggregate"] = "none"
    rewrite_query: bool = Field(default=False, alias="rewriteQuery")


class ListInclude(RequestBody):
    """What a list brings along."""

    content: bool = False
    memory_count: bool = Field(default=False, alias="memoryCount")
    forgotten: bool = False


class ListRequest(RequestBody):
    """`POST /ns/{ns}/list/{type}`."""

    filter: CheckedCondition = None  # type: ignore[assignment]
    include: ListInclude = ListInclude()


class ProfileRequest(RequestBody):
    """`POST /ns/{ns}/profile`."""

    filter: CheckedCondition = None  # type: ignore[assignment]
    buckets: list[str] = []


class NamespaceUpdate(RequestBody):
    """`PATCH /ns/{ns}`."""

    supporting_context: Annotated[str, Field(alias="supportingContext", max_length=1_500)]


class PageQuery(BaseModel):
    """The query of a list: text, as all queries are."""

    model_config = ConfigDict(extra="forbid")

    page: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    sort: Literal["createdAt", "updatedAt", "position"] = "createdAt"
    order: Literal["asc", "desc"] = "desc"
    q: str = ""


class IncludeQuery(BaseModel):
    """The query of `GET …/document/{id}` and `GET …/memories/{id}`: `include=a,b`, or `include=a&include=b`."""

    model_config = ConfigDict(extra="forbid")

    include: list[Literal["chunks", "memories", "related", "documents"]] = []
    related_limit: Annotated[int, Field(alias="relatedLimit", ge=0, le=100)] = 10


class MoveQuery(BaseModel):
    """The query of `DELETE /ns/{ns}`."""

    model_config = ConfigDict(extra="forbid")

    move_to: str | None = Field(default=None, alias="moveTo", pattern=r"^[a-zA-Z0-9_:-]{1,100}$")


ConditionGroup.model_rebuild()
