"""Addresses of servers, as settings hold them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, HttpUrl, TypeAdapter, ValidationError

from ..errors import quoted
from ..redaction import without_passwords

_HTTP = TypeAdapter(HttpUrl)
EXAMPLE = "http://localhost:8080/v1"


def server_url(text: str) -> str:
    """The address as it was given. Raises `ValueError` for one that is none of a server, before anybody calls it."""
    try:
        found = _HTTP.validate_python(text)
    except ValidationError as error:
        raise ValueError(_no_server(text)) from error
    if not found.host or text != text.strip() or found.query or found.fragment:
        raise ValueError(_no_server(text))
    return text


def _no_server(text: str) -> str:
    shown = quoted(without_passwords(text))
    return f"{shown} is not an address of a server: it begins with http:// or https://, such as {EXAMPLE!r}"


ServerUrl = Annotated[str, AfterValidator(server_url)]
"""`http://` or `https://`, a host, and perhaps a port and a path."""
