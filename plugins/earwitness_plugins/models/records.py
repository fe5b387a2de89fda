"""What a language model is asked, and what it answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, JsonValue
from pydantic_core import to_json

from earwitness import Record
from earwitness.loading.quantities import Count

MessageRole = Literal["system", "user", "assistant"]
CHARACTERS_A_TOKEN = 4
"""So many characters count as a token where a server does not say how many there were."""


class ChatMessage(Record):
    """One message of a conversation with a model."""

    role: MessageRole
    """Who says it."""
    content: str
    """The text."""


class AnswerSchema(Record):
    """The JSON schema that an answer must have."""

    name: str
    """Its name, as the server is told."""
    definition: dict[str, JsonValue]
    """The schema."""


class ModelRequest(Record):
    """One question to a model. It never holds a key."""

    model: str
    """The model's name."""
    messages: tuple[ChatMessage, ...]
    """The conversation so far."""
    answer_schema: AnswerSchema | None = None
    """The form of the answer; `None` = plain text."""
    temperature: float | None = None
    """0 = always the likeliest words; `None` = the server's default."""
    max_tokens: Count | None = None
    """The longest answer; `None` = the server's default."""
    extra: dict[str, JsonValue] = {}
    """Further parameters of the server's own, such as `top_p` or `seed`."""

    @property
    def digest(self) -> str:
        """The key under which a cassette keeps the answer."""
        return hashlib.sha256(to_json(self.model_dump(mode="json"), by_alias=True)).hexdigest()[:32]

    @property
    def tokens(self) -> int:
        """About how many tokens the conversation and the schema have."""
        schema = len(to_json(self.answer_schema.definition)) if self.answer_schema else 0
        return tokens_of(sum(len(each.content) for each in self.messages) + schema)


class ModelReply(Record):
    """What a model answered."""

    text: str = ""
    """The answer."""
    refusal: str = ""
    """Why it refuses, in its own words; empty where it does not."""
    finish: str = ""
    """Why it stopped, as the server says: `stop`, `length`, `tool_calls`, …"""
    tokens_in: int = Field(default=0, ge=0)
    """Tokens in the prompt."""
    tokens_out: int = Field(default=0, ge=0)
    """Tokens in the answer."""
    tokens_reused: int = Field(default=0, ge=0)
    """Of the tokens in the prompt, those that the server had at hand, which some sell cheaper."""

    def broken_off(self, characters: int) -> ModelReply:
        """The reply to a stream that was not read to its end, after so many characters."""
        return self.model_copy(update={"tokens_out": tokens_of(characters)})


def tokens_of(characters: int) -> int:
    """About how many tokens so many characters are."""
    return -(-characters // CHARACTERS_A_TOKEN)


def counted(body: object) -> tuple[int, int, int]:
    """Tokens in a prompt, in its answer, and at hand, as the `usage` of a response says; 0 where it does not."""
    usage = body.get("usage") if isinstance(body, Mapping) else None
    usage = usage if isinstance(usage, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    reused = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return _number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens")), _number(reused)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


@lru_cache(64)
def schema_of(model: type[Any]) -> AnswerSchema:
    """The JSON schema of a pydantic model. Making it takes as long as all the rest of a call."""
    definition: Mapping[str, JsonValue] = model.model_json_schema()
    return AnswerSchema(name=model.__name__, definition=dict(definition))


def schema_in_prompt(request: ModelRequest) -> ModelRequest:
    """The request with its schema at the end of the first message instead of beside it."""
    if request.answer_schema is None:
        return request
    first, *rest = request.messages
    schema = json.dumps(request.answer_schema.definition)
    told = f"{first.content}\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n{schema}"
    messages = (first.model_copy(update={"content": told}), *rest)
    return request.model_copy(update={"messages": messages, "answer_schema": None})


def forms_of(request: ModelRequest) -> Iterator[ModelRequest]:
    """The request in the forms in which it may have been asked."""
    yield request
    if request.answer_schema is not None:
        yield schema_in_prompt(request)
