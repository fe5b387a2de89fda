"""`story.profile("alice", of="bob")`: what a character thinks of another one, or of a user."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from earwitness import Channel, Character, Earwitness, Session
from earwitness.errors import EarwitnessError, InputError, unknown
from earwitness.loading.settings import Settings
from earwitness.records.channel import Context
from earwitness.start.recalled import Recall
from earwitness.validation.messages import known_channel

from ...models.accounts import Account
from ...models.client import ModelClient
from ...models.host_account import host_account
from ...models.prompts import fenced
from ...models.scene import noted
from ...models.settings import ModelSettings
from .claims import ProfileProposal, believed, labelled, material
from .evidence import AboutSomebody, about
from .extracts import extracted
from .records import Profile, ProfileBy

MOST_KEPT = 64
"""Answers of a model that are kept for a story."""
BY = "profile:language_model"
"""Who asks, in the costs of a story."""


class Profiles:
    """What characters think of each other. It reads, and writes nothing but what a model costs."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story, self._ew = story, ew
        self._kept: OrderedDict[tuple[object, ...], Profile] = OrderedDict()

    async def __call__(
        self,
        character: str,
        *,
        of: str,
        by: ProfileBy | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        timeout: float = 30.0,
    ) -> Profile:
        """What a character thinks of another one, from their own memories that guards let them recall in a channel.

        `of` is a character, or the id of a user: then the persona of theirs. `by` is `model` where the settings have
        the table `[model]`, else `extract`. A model that does not answer within `timeout` seconds, or cites nothing, is
        replaced by extracts, and `failures` says so. Its answer holds as long as all of these memories are the same.
        Raises `UnknownName`, `InputError`, `StorageError`, and `SettingsError` for `model` without `[model]`.
        """
        who, other = self._story.cast.named(character), self._other(of)
        where, by = known_channel(channel, context), self._by(by)
        if other.id == who.id:
            raise InputError(f"{who.id!r} cannot have a profile of themselves: give another character in `of`.")
        recalled = await self._story.memories(who.id, channel=where)
        found = about(recalled.memories, who, other, self._story.cast)
        if by == "extract" or not found:
            return _profile(who, other, recalled, found, "extract")
        return await self._by_model(who, other, where, recalled, found, timeout)

    async def _by_model(
        self,
        who: Character,
        other: Character,
        where: Channel,
        recalled: Recall,
        found: Sequence[AboutSomebody],
        timeout: float,
    ) -> Profile:
        client = ModelClient.shared(self._ew.settings, self._ew.resources, self._ew.strategies)
        key = (who.id, other.id, where, client.prompt("profile").label, client.settings.model, _digest(found))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key].model_copy(update={"failures": recalled.failures})
        account = await host_account(client, self._story, BY)
        try:
            profile = await _asked(client, account, who, other, recalled, found, timeout)
        except EarwitnessError as failure:
            why = f"{BY}: no model could be asked, so memories are quoted: {failure}"
            more = {"failures": (*recalled.failures, why), "notes": noted(account.notes), "usage": account.usage}
            profile = _profile(who, other, recalled, found, "extract").model_copy(update=more)
        else:
            self._keep(key, profile.model_copy(update={"usage": None}))
        if profile.usage is not None:
            await self._story.backstage().note_usage(BY, profile.usage)
        return profile

    def _keep(self, key: tuple[object, ...], profile: Profile) -> None:
        self._kept[key] = profile
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _other(self, of: str) -> Character:
        """The character, or the persona of a user. Raises `UnknownName`."""
        cast = self._story.cast
        if cast.called(of):
            return cast.named(of)
        users: Mapping[str, Character] = {each.user_id: each for each in cast if each.user_id}
        if of not in users:
            raise unknown("character or user", of, [*cast.ids, *users], cast.other_names)
        return users[of]

    def _by(self, by: ProfileBy | None) -> ProfileBy:
        if by is None:
            return "model" if _has_model(self._ew.settings) else "extract"
        if by not in get_args(ProfileBy):
            raise InputError(f"by = {by!r} must be one of {', '.join(get_args(ProfileBy))}.")
        return by


async def _asked(
    client: ModelClient,
    account: Account,
    who: Character,
    other: Character,
    recalled: Recall,
    found: Sequence[AboutSomebody],
    timeout: float,
) -> Profile:
    """The profile by the model. Raises `ModelError`, and `InputError` where nothing of its answer has evidence."""
    prompt, shown = client.prompt("profile"), labelled(found)
    answer = await client.structured(
        account,
        prompt.messages(material=fenced(material(who, other, shown))),
        ProfileProposal,
        prompt=prompt,
        limit=timeout,
    )
    claims = believed(answer.claims, shown, account.notes)
    if not claims:
        raise InputError("none of its claims rests on a memory that it was shown.")
    told: dict[str, Any] = {"version": prompt.label, "usage": account.usage, "notes": noted(account.notes)}
    return _profile(who, other, recalled, found, "model").model_copy(update={"claims": claims, **told})


def _profile(
    who: Character, other: Character, recalled: Recall, found: Sequence[AboutSomebody], by: ProfileBy
) -> Profile:
    claims = extracted(found, other) if by == "extract" else ()
    given: dict[str, Any] = {"memories": len(found), "failures": recalled.failures, "claims": claims}
    return Profile(character=who.id, of=other.id, by=by, **given)


def _has_model(settings: Settings) -> bool:
    return any(type(each) is ModelSettings for _, each in settings)


def _digest(found: Sequence[AboutSomebody]) -> str:
    """A digest of all that it rests on: an edit, a retraction or another guard makes it another one."""
    read = "\n".join(f"{each.id} {each.day} {each.recalled.unsayable} {each.text}" for each in found)
    return hashlib.sha256(read.encode("utf-8", "surrogatepass")).hexdigest()
