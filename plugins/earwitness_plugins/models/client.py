"""The one way to ask a language model: within budgets and time, with retries, from cassettes where there are any.

One client serves all strategies of an instance. What goes wrong is a `ModelError`; no error and no answer holds a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, MutableMapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import anyio
from pydantic import BaseModel, JsonValue

from earwitness import Settings
from earwitness.errors import StorageError
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.records.usage import ModelCall
from earwitness.redaction import scrub, secrets_held, without
from earwitness.time_limit import contained, reason
from earwitness.unused_calls import UnusedCalls
from earwitness_relationships.graph.away import BackOff

from .accounts import Account, Accounts, Spent
from .asks import Ask
from .cassettes import Cassette, RecordedAnswer
from .errors import AnswerCut, ModelAway, ModelError, UnsupportedSchema, UnusableAnswer
from .prompts import ModelPrompt, check_prompts
from .protocol import ClientsMade, LanguageModel
from .records import AnswerSchema, ChatMessage, ModelReply, ModelRequest, forms_of, schema_in_prompt, schema_of
from .settings import ModelSettings, model_settings
from .structured import read_answer, read_whole_answer

A = TypeVar("A", bound=BaseModel)
LONGEST_QUOTED = 2_000
"""Characters of an unusable answer that the model is shown again."""


class ModelClient:
    """Asks the model of `[model]`."""

    def __init__(
        self,
        settings: ModelSettings,
        folder: Path,
        model: LanguageModel,
        secrets: Sequence[str] = (),
        unused: UnusedCalls | None = None,
    ) -> None:
        """Relative paths begin in `folder`; `secrets` are what nothing may quote; `unused` is what budgets count of
        calls elsewhere. Raises `SettingsError`."""
        self.settings = settings
        """The table `[model]`."""
        self._folder, self._model, self._secrets = folder, model, tuple(secrets)
        self._prompts: dict[str, ModelPrompt] = {}
        if settings.prompts:
            check_prompts(folder / settings.prompts)
        self._accounts = Accounts(settings, unused)
        self._schema_in_prompt = settings.structured == "prompt"
        self._away = BackOff(what="the language model")
        self._open = False
        self._lock = anyio.Lock()
        self._cassette = Cassette(folder / settings.cassette, settings.cassette_mode) if settings.cassette else None

    @classmethod
    def shared(cls, settings: Settings, resources: Resources, strategies: Strategies) -> ModelClient:
        """The client of an instance. Raises `SettingsError`, also where there is no table `[model]`."""

        def make() -> ModelClient:
            made = cls.of(model_settings(settings), settings, resources, strategies)
            resources.get(ClientsMade, "model", ClientsMade).append(made)
            return made

        return resources.get(ModelClient, "model", make)

    @classmethod
    def of(cls, table: ModelSettings, settings: Settings, resources: Resources, strategies: Strategies) -> ModelClient:
        """A client of its own for a table `[model]`, which whoever makes it closes. Raises `SettingsError`."""
        model: LanguageModel = strategies.make("model", table.spec, settings=settings, resources=resources)
        secrets = (*settings.table_secrets, *secrets_held(model))
        return cls(table, settings.folder, model, secrets, UnusedCalls.shared(resources))

    async def open(self) -> None:
        """Open the model, unless it is open. Where only a cassette is replayed there is nothing to open."""
        async with self._lock:
            if not self._open and not self.settings.replays_only and (opens := getattr(self._model, "open", None)):
                await opens()
            self._open = True

    async def close(self) -> None:
        """Close the model, unless it is closed."""
        async with self._lock:
            if self._open and not self.settings.replays_only and (closes := getattr(self._model, "close", None)):
                await closes()
            self._open = False

    def prompt(self, name: str) -> ModelPrompt:
        """The prompt of this name, the host's or ours. Raises `SettingsError`."""
        if name not in self._prompts:
            own = self._folder / self.settings.prompts if self.settings.prompts else None
            self._prompts[name] = ModelPrompt.load(name, own)
        return self._prompts[name]

    def account(
        self,
        session: str,
        by: str,
        *,
        turn: str = "",
        data: MutableMapping[str, JsonValue] | None = None,
        part: str = "",
    ) -> Account:
        """An account for one asker, such as `world_agent:language_model`, on one message, whose key is `turn`.

        An asker that asks several times about one message says which `part` of its work each is. When the same is asked
        about again, as after a reroll, the limits of the turn begin anew.
        `data` are the asker's durable data for the session: by them it is known what it has spent before a restart,
        and in other processes. A host's own are those of `host_account`.
        """
        return self._accounts.account(session, by, turn, data, part)

    def spent(self, session: str) -> Spent:
        """What a session has spent so far, as far as this process knows."""
        return self._accounts.spent(session)

    async def chat(
        self,
        account: Account,
        messages: Sequence[ChatMessage],
        *,
        prompt: ModelPrompt | None = None,
        limit: float,
        model: str | None = None,
    ) -> ModelReply:
        """An answer in plain text. Arguments and errors as `structured`."""
        await self.open()
        return await self._asked(self._ask(account, messages, prompt, limit, model))

    async def structured(
        self,
        account: Account,
        messages: Sequence[ChatMessage],
        answer: type[A],
        *,
        prompt: ModelPrompt,
        limit: float,
        model: str | None = None,
        whole: bool = False,
    ) -> A:
        """An answer in the form of a pydantic model, after one repair at most. What of it cannot be read is left out.

        With `whole`, what was cut off cannot be read. `limit` is in seconds, for all calls together; `model` is another
        model than that of the settings. Raises `ModelError`, and `SettingsError` without the client or a key. Then
        `account.usage` says what was asked, and `account.notes` what was left out.
        """
        await self.open()
        ask = self._ask(account, messages, prompt, limit, model, schema_of(answer))
        reply = await self._asked(ask)
        try:
            return await self._read(account, reply, answer, whole)
        except ValueError as error:
            why = f"it is a refusal: {reply.refusal[:200]}" if reply.refusal and not reply.text else str(error)
        account.notes.append(f"the answer could not be read, so the model was asked once more: {why}")
        repair = self.prompt("repair")
        again = ChatMessage(role="assistant", content=reply.text[:LONGEST_QUOTED] or "(nothing)")
        told = (*messages, again, *[each for each in repair.messages(why=why) if each.role == "user"])
        remaining = ask.until - asyncio.get_running_loop().time()
        reply = await self._asked(self._ask(account, told, repair, remaining, model, schema_of(answer)))
        try:
            return await self._read(account, reply, answer, whole)
        except ValueError as error:
            raise UnusableAnswer(f"the model answered twice what cannot be read: {why}; then {error}") from error

    async def stream(
        self,
        account: Account,
        messages: Sequence[ChatMessage],
        *,
        prompt: ModelPrompt | None = None,
        limit: float,
        model: str | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[str, None]:
        """An answer in plain text, piece by piece. Whoever stops reading closes it (`aclosing`).

        It is asked for again after a refusal that may pass, until the first piece has come; raises `AnswerCut` if it
        breaks off later. `temperature` is another one than that of the settings. Other arguments and errors are those
        of `structured`.
        """
        await self.open()
        ask = self._ask(account, messages, prompt, limit, model, temperature=temperature)
        if (recorded := self._recorded(ask)) is not None:
            yield self._replayed(ask, recorded).text
            return
        for attempt in range(self.settings.retries + 1):
            try:
                async with aclosing(self._streamed(ask, limit)) as pieces:
                    async for piece in pieces:
                        yield piece
            except ModelAway as failure:
                if (pause := ask.pause(failure, attempt, self.settings.retries)) is None:
                    raise
            else:
                return
            await asyncio.sleep(pause)

    # ── one question ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _streamed(self, ask: Ask, limit: float) -> AsyncGenerator[str, None]:
        reserved, held, characters = self._reserve(ask), "", 0
        started, reply, failure = perf_counter(), ModelReply(tokens_in=ask.request.tokens), "it was not read to its end"
        try:
            async with asyncio.timeout_at(ask.until):
                async for piece in self._model.stream(ask.request):
                    if isinstance(piece, ModelReply):
                        reply, failure = self._clean(piece), ""
                        continue
                    characters += len(piece)
                    said, held = self._sayable(held + piece)
                    if said:
                        yield said
            if held:
                yield held
        except Exception as error:  # noqa: BLE001 - a model of somebody else's may raise anything
            failed = self._failure(error, limit)
            reply = ModelReply() if not characters and getattr(failed, "is_free", False) else reply
            if characters:
                failed = AnswerCut(failed, characters)
            failure = str(failed)
            raise failed from None
        finally:
            if failure:
                reply = reply.broken_off(characters)
            self._settle(ask, reply, perf_counter() - started, reserved, failure)
        self._keep(ask, reply, perf_counter() - started)

    def _ask(
        self,
        account: Account,
        messages: Sequence[ChatMessage],
        prompt: ModelPrompt | None,
        limit: float,
        model: str | None,
        schema: AnswerSchema | None = None,
        temperature: float | None = None,
    ) -> Ask:
        settings = self.settings
        clean = [each.model_copy(update={"content": without(each.content, self._secrets)}) for each in messages]
        request = ModelRequest(
            model=model or settings.model,
            messages=tuple(clean),
            answer_schema=schema,
            temperature=settings.temperature if temperature is None else temperature,
            max_tokens=settings.max_tokens,
            extra=settings.parameters,
        )
        until = asyncio.get_running_loop().time() + max(0.0, limit)
        return Ask(account, self._form(request), prompt.label if prompt else "", until)

    def _form(self, request: ModelRequest) -> ModelRequest:
        """The request as the server takes it: with the schema in the prompt, if it takes none."""
        return schema_in_prompt(request) if self._schema_in_prompt and request.answer_schema else request

    async def _asked(self, ask: Ask) -> ModelReply:
        """The answer from the cassette, or else from the model. Raises `ModelError`."""
        if (recorded := self._recorded(ask)) is not None:
            return self._replayed(ask, recorded)
        try:
            self._away.check()
        except StorageError as away:
            raise ModelAway(str(away), passes=True) from None
        try:
            return await self._with_retries(ask)
        except UnsupportedSchema as refused:
            self._schema_in_prompt = True
            ask.account.notes.append(f"the server takes no JSON schema, so it is put into the prompt: {refused}")
            return await self._with_retries(Ask(ask.account, self._form(ask.request), ask.prompt, ask.until))

    async def _with_retries(self, ask: Ask) -> ModelReply:
        for attempt in range(self.settings.retries + 1):
            try:
                return await self._attempt(ask)
            except UnsupportedSchema:
                raise
            except ModelAway as failure:
                if (pause := ask.pause(failure, attempt, self.settings.retries)) is None:
                    if failure.passes:
                        self._away.failed(failure)
                    raise
            await asyncio.sleep(pause)
        raise AssertionError  # the last attempt returns or raises

    async def _attempt(self, ask: Ask) -> ModelReply:
        reserved = self._reserve(ask)
        limit = max(0.0, min(self.settings.timeout, ask.until - asyncio.get_running_loop().time()))
        started, reply, failure = perf_counter(), ModelReply(), "it was cancelled"
        try:
            async with asyncio.timeout(limit):
                reply = self._clean(await self._model.complete(ask.request))
            failure = ""
        except Exception as error:  # noqa: BLE001 - a model of somebody else's may raise anything
            failed = self._failure(error, limit)
            failure = str(failed)
            raise failed from None
        finally:
            self._settle(ask, reply, perf_counter() - started, reserved, failure)
        self._away.answered()
        self._keep(ask, reply, perf_counter() - started)
        return reply

    def _failure(self, error: Exception, limit: float) -> ModelError:
        """What a failing model raised, as one of our errors, which quotes no secret."""
        match error:
            case TimeoutError():
                return ModelAway(f"the model did not answer within {limit:g} s.", passes=True)
            case ModelError():
                scrub(error, self._secrets)
                return error
        return ModelAway(f"the model failed: {without(reason(contained(error)), self._secrets)}")

    async def _read(self, account: Account, reply: ModelReply, answer: type[A], whole: bool = False) -> A:
        """The answer in a reply; a long one is read on a thread. Raises `ValueError`."""
        read = partial(read_whole_answer if whole else read_answer, reply, answer)
        value, left_out = await asyncio.to_thread(read) if len(reply.text) > LONGEST_QUOTED else read()
        account.notes += [f"left out of the answer: {each}" for each in left_out]
        return value

    def _sayable(self, text: str) -> tuple[str, str]:
        """Of a stream, what can be said now without secrets, and the end that may be the beginning of one."""
        clean = without(text, self._secrets)
        longest = max(map(len, self._secrets), default=1)
        begins = range(max(0, len(clean) - longest + 1), len(clean))
        cut = next((n for n in begins if any(each.startswith(clean[n:]) for each in self._secrets)), len(clean))
        return clean[:cut], clean[cut:]

    def _clean(self, reply: ModelReply) -> ModelReply:
        """The reply without secrets: a server may repeat what it was sent."""
        text, refusal = without(reply.text, self._secrets), without(reply.refusal, self._secrets)
        return reply.model_copy(update={"text": text, "refusal": refusal})

    # ── cassettes ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _recorded(self, ask: Ask) -> RecordedAnswer | None:
        """The recorded answer; `None` where the model is to be asked. Raises `NotOnCassette`."""
        cassette = self._cassette
        if cassette is None or cassette.mode == "record":
            return None
        found = next(filter(None, map(cassette.answer, forms_of(ask.request))), None)
        if found is None and cassette.mode == "replay":
            raise cassette.missing(ask.request, ask.prompt)
        return found

    def _replayed(self, ask: Ask, recorded: RecordedAnswer) -> ModelReply:
        """A recorded answer counts as the call that was recorded, so that budgets decide as they did then."""
        reserved = self._reserve(ask)
        self._settle(ask, recorded.reply, recorded.seconds, reserved, "", cached=True)
        return self._clean(recorded.reply)

    def _keep(self, ask: Ask, reply: ModelReply, seconds: float) -> None:
        if self._cassette is not None:
            request, took = ask.request, round(seconds, 3)
            kept = RecordedAnswer(digest=request.digest, prompt=ask.prompt, request=request, reply=reply, seconds=took)
            self._cassette.keep(kept)

    # ── money ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _reserve(self, ask: Ask) -> tuple[int, float]:
        """Count the call, with the tokens that it costs at least. Raises `BudgetSpent`."""
        tokens = ask.request.tokens
        reserved = tokens, self.settings.cost_of(ask.request.model, tokens, 0)
        ask.account.reserve(*reserved)
        return reserved

    def _settle(
        self,
        ask: Ask,
        reply: ModelReply,
        seconds: float,
        reserved: tuple[int, float],
        failure: str,
        *,
        cached: bool = False,
    ) -> None:
        model = ask.request.model
        call = ModelCall(
            model=model,
            prompt=ask.prompt,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=round(seconds, 3),
            cost=self.settings.cost_of(model, reply.tokens_in, reply.tokens_out, reply.tokens_reused),
            cached=cached,
            failure=failure or None,
        )
        ask.account.settle(call, reserved)
