"""A client of the `openai` library, made at its first use: importing the library takes a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import SecretStr

from earwitness.errors import SettingsError

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIClient:
    """The client of one strategy.

    Args:
        what: the strategy, as an error names it.
        table: the table of settings where its key stands.
        needed: the error where the library is not installed.
        api_key: the key; `None` = the environment variable `OPENAI_API_KEY`, and none for a server at `base_url`.
        base_url: another server than OpenAI's.
        timeout: seconds for one attempt.
        retries: how often the library repeats an attempt.
    """

    def __init__(
        self,
        *,
        what: str,
        table: str,
        needed: str,
        api_key: SecretStr | None,
        base_url: str | None,
        timeout: float,
        retries: int,
    ) -> None:
        self._what, self._table, self._needed = what, table, needed
        self._key, self._base_url = api_key, base_url
        self._timeout, self._retries = timeout, retries
        self._client: AsyncOpenAI | None = None

    async def opened(self) -> AsyncOpenAI:
        """The client, made on a thread if there is none. Raises `SettingsError` without the package or a key."""
        if self._client is None:
            self._client = await asyncio.to_thread(self._made)
        return self._client

    async def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _made(self) -> AsyncOpenAI:
        try:
            from openai import AsyncOpenAI, OpenAIError
        except ModuleNotFoundError as missing:
            raise SettingsError(self._needed) from missing
        key = self._key.get_secret_value() if self._key else "none" if self._base_url else None
        try:
            return AsyncOpenAI(api_key=key, base_url=self._base_url, timeout=self._timeout, max_retries=self._retries)
        except OpenAIError as error:
            raise SettingsError(
                f"{self._what} has no key. Set the environment variable OPENAI_API_KEY, or "
                f'api_key = {{ env = "NAME" }} in the table [{self._table}].'
            ) from error
