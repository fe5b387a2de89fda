"""The default detector: rules over names, forms of address, conventions of role play, comings and goings.

It reads the message's text (`reading`) and weighs it against the whereabouts that earlier messages left behind
(`judging`). Being talked about is not being there; a silent observer stays; whispers and thoughts reach whom they are
meant for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from earwitness.errors import SettingsError
from earwitness.records.character import Cast, Character
from earwitness.records.message import Message
from earwitness.records.moment import Moment, Presence

from .acts.inventory import inventory, own_phrases
from .acts.leave_model import hinted
from .acts.signs import NO_SIGNS, Signs, signs
from .dialogue.line_words import LineWords, Titles
from .inference.direct_messages import between, direct
from .inference.distance import within_earshot
from .inference.message_case import Confidences, MessageCase
from .inference.narration import narrated
from .inference.omniscience import overheard_by_narrators
from .inference.order import in_order
from .inference.plays import direction, is_play, line
from .inference.presence_model import FAR, PresenceModel, RecentLine, line_of
from .inference.quotation import speaks_in_quotes
from .inference.replies import answered, apart_with, lacks_hearer, only_other
from .inference.silence import SMALL, last_words, still_here
from .inference.speech import said
from .inference.spoken_to import spoken_to
from .inference.stages import across, is_headed, looks, stage, told
from .language_files import check_own_languages
from .plays.dramatis_personae import DramatisPersonae
from .text import THREAD_FROM
from .text.directions import FragmentKind
from .text.first_messages import on_thread
from .text.known_casts import KnownCasts
from .text.marks import Conventions
from .text.message_reading import Reading, counted_in, read, spoken
from .text.movements import Referents
from .text.names import Names
from .text.surroundings import APART_FROM_ALL, Surroundings
from .text.vocatives import addressed
from .warm_up import warm_up

SILENCE_PENALTY = 0.55
"""What is taken off the log odds of the silent; the weights of `silence` were fitted with it."""


class RulesDetector:
    """Presence by rules, online, without a model. Pure: the same moment gives the same presence.

    A message that mixes a whisper or a thought with open speech is handed out in segments.
    """

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""
    fittable: ClassVar[Mapping[str, tuple[float, float]]] = {
        "recent": (0, 12),
        "answers": (0, 12),
        "silence_penalty": (-2, 2),
    }
    """Settings that `earwitness fit` may fit, and their ranges."""

    def __init__(
        self,
        *,
        recent: Annotated[int, Field(ge=0)] = 6,
        confidences: Confidences | None = None,
        perception: Literal["segments", "whole"] = "segments",
        markup: Mapping[str, FragmentKind] | None = None,
        fading: bool = True,
        answers: Annotated[int, Field(ge=0, le=20)] = 3,
        silence_penalty: Annotated[float, Field(ge=-3, le=3)] = SILENCE_PENALTY,
        omniscient: bool = False,
        phrases: Mapping[str, Sequence[str]] | None = None,
        earshot: Annotated[int, Field(ge=0)] = 0,
        caution: Annotated[float, Field(ge=-3, le=3)] | None = None,
    ) -> None:
        """`recent` is within how many messages somebody who spoke counts as lively.

        `confidences` are the probabilities that the rules answer with.

        `perception` as core's setting of that name: judged `whole`, the narrowest piece of a message decides for all of
        it. `markup` are marks of one's own and what stands between them, as `{"{…}": "thought", "<<…>>": "ooc"}`.
        With `fading`, who spoke and fell silent among many grows less likely to be there, as long as the host did not
        put them there and nobody tells who goes; so does who was only spoken to or counted in (`Bob and I`) and has not
        spoken within `answers` messages. `silence_penalty` is taken off the log odds of their being there;
        `caution` is its old name.
        With `omniscient`, narrators perceive every message, wherever it is said, whispers and thoughts too.
        `phrases` are more ways of speaking than `detectors/languages` has: `{"leaves": ["ich mach die fliege"]}`.
        `earshot` is over how many levels of places open speech carries, from `castle/kitchen` to `castle` or to
        `castle/kitchen/pantry` for 1; a shout carries over all.
        Raises `SettingsError` for marks without an ellipsis between their two ends, and for phrases of no known act.
        """
        check_own_languages()
        self.recent = recent
        self.confidences = confidences or Confidences()
        self.fading, self.answers = fading, answers
        self.silence_penalty = silence_penalty if caution is None else _renamed(caution)
        self.earshot, self._phrases = earshot, own_phrases(phrases)
        self.whole, self.omniscient = perception == "whole", omniscient
        own = tuple((markup or {}).items())
        if wrong := [mark for mark, _ in own if not all(mark.partition("…"))]:
            raise SettingsError(
                f"markup {wrong[0]!r} must be an opening and a closing mark with … between them, as '{{…}}' or '<<…>>'."
            )
        self._role_play, self._staged = Conventions(own=own), Conventions(staged=True, own=own)
        self._quoting = Conventions(quoting=True, own=own)
        self._names = lru_cache(maxsize=64)(Names)
        self._company = lru_cache(maxsize=64)(DramatisPersonae)
        self._line = lru_cache(maxsize=256)(_line_of)
        self._words = lru_cache(maxsize=256)(self._words_of)
        self._said = lru_cache(maxsize=256)(self._signs_in)
        self._counted = lru_cache(maxsize=256)(counted_in)
        self._known = KnownCasts(lambda members: (self._names(members), self._company(members), Titles(members)))

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        warm_up(self)

    def detect(self, moment: Moment) -> Presence:
        """Who perceives the message, and who moves by it."""
        presence = self._judged(moment)
        return overheard_by_narrators(presence, moment) if self.omniscient else presence

    def _judged(self, moment: Moment) -> Presence:
        speaker = moment.cast[moment.message.speaker]
        names, company, titles = self._known.of(moment.cast.members)
        played = is_play(moment)
        conventions = self._staged if played else self._quoting if speaks_in_quotes(moment, names) else self._role_play
        reading = self._read(moment, names, conventions, played=played)
        lately = moment.recent[-self.recent :] if self.recent else ()
        lively = frozenset(message.speaker for message in lately)
        scene, brought = _scene(moment, speaker, reading, names)
        fading = {} if played or not self.fading else self._fading(moment, scene, company, reading.addressed)
        distant = {} if self.whole else within_earshot(scene, self.earshot, shouted=reading.shouted)
        case = MessageCase(
            moment,
            speaker,
            reading,
            scene,
            names,
            self.confidences,
            lively,
            fading,
            partial(self._signs_of, moment.cast, names),
            distant,
            brought,
            told(moment, reading, names, scene) if speaker.kind == "narrator" and not played else (),
            {} if played or speaker.kind == "narrator" else across(moment, reading, scene, names),
        )
        presence = _presence(case, company, played=played)
        meant = spoken_to(case, presence, lambda each: self._words(each.speaker, each.content, names), titles)
        return presence.model_copy(update={"addressees": meant})

    def _words_of(self, speaker: str, text: str, names: Names) -> LineWords:
        known = self._line(speaker, text, names)
        return LineWords(called=known.addressed, named=known.named)

    def _read(self, moment: Moment, names: Names, conventions: Conventions, *, played: bool) -> Reading:
        """The message read; whom it answers is looked for only where somebody whispers to nobody who is named."""
        speaker = moment.cast[moment.message.speaker]
        reads = partial(
            read,
            moment.message.content,
            speaker,
            names,
            _stage(moment, speaker, names, played=played),
            conventions=conventions,
            whole=self.whole,
            inventory=None if played else inventory(self._phrases),
            headed=not played and is_headed(moment),
        )
        reading = reads(between=between(moment, names))
        if speaker.kind == "narrator" or not lacks_hearer(reading):
            return reading
        hearers = (
            answered(moment, names, conventions, sent=reading.is_sent)
            or only_other(moment, reading)
            or (() if reading.is_sent else apart_with(moment))
        )
        return reads(between=hearers) if hearers else reading

    def _signs_in(self, text: str, speaker: Character, names: Names) -> Signs:
        return signs([(each, names.find(each)) for each in spoken(text, speaker)], inventory(self._phrases))

    def _signs_of(self, cast: Cast, names: Names, message: Message) -> Signs:
        """What the words of a message say of its speaker's going; nothing for a narrator's."""
        if message.speaker not in cast or cast[message.speaker].kind == "narrator":
            return NO_SIGNS
        return self._said(message.content, cast[message.speaker], names)

    def _fading(
        self, moment: Moment, scene: Surroundings, company: DramatisPersonae, called: Sequence[str]
    ) -> dict[str, float]:
        """How likely those near are still there, by their silence. `called` are the ids of those spoken to by name.

        Who never spoke is a silent observer; whom the host put there stays until somebody tells that they go.
        """
        names, _, _ = self._known.of(moment.cast.members)
        tellers = moment.cast.narrators
        narrated_of_late = any(message.speaker in tellers for message in (*moment.recent, moment.message))
        small = len(moment.cast.ids) <= SMALL
        if narrated_of_late and not small:
            return {}
        model = PresenceModel.of(moment, company, lambda speaker, text: self._line(speaker, text, names))
        others = [id for id in scene.who_may_fade if id != moment.message.speaker]
        spoke = [id for id in others if model.spoke(id)]
        silent = {} if narrated_of_late else {id: model.still_here(id, -self.silence_penalty) for id in spoke}
        if small:
            silent |= {id: self._still_here(moment, id, names, silent.get(id), called) for id in spoke}
        unheard = (
            {}
            if narrated_of_late
            else {id: self._unheard(moment, id, model, names) for id in others if id not in silent}
        )
        return silent | {id: self.confidences.mentioned for id, since in unheard.items() if since > self.answers}

    def _still_here(self, moment: Moment, id: str, names: Names, faded: float | None, called: Sequence[str]) -> float:
        """The same for one of a small group, with what they said last."""
        last = last_words(id, moment.recent[-FAR:])
        if last is None:
            return 1.0 if faded is None else faded
        message, since = last
        signs = self._signs_of(moment.cast, names, message)
        return still_here(
            hint=hinted(signs),
            since=[*(each.speaker for each in since), moment.message.speaker],
            cast=len(moment.cast.ids),
            called=id in called,
            faded=faded,
            penalty=self.silence_penalty - SILENCE_PENALTY,
        )

    def _unheard(self, moment: Moment, id: str, model: PresenceModel, names: Names) -> int:
        """Messages since all that says that they are here: that somebody spoke to them by name, or counted them in.

        0 where something else says so.
        """
        since = moment.whereabouts[id].since
        if not moment.recent or since < moment.recent[0].sequence or any(m.speaker == id for m in moment.recent):
            return 0
        at = next((at for at, message in enumerate(moment.recent) if message.sequence == since), None)
        if at is None:
            return 0
        put_here = moment.recent[at]
        if id in self._line(put_here.speaker, put_here.content, names).addressed:
            return model.unanswered(id)
        return self._since_counted_in(id, (*moment.recent[at:], moment.message), moment.cast, names)

    def _since_counted_in(self, id: str, messages: Sequence[Message], cast: Cast, names: Names) -> int:
        """Messages since the last that counts them in or speaks to them, where others than its speaker speak too.

        0 unless the first message counts them in.
        """
        known = [message for message in messages if message.speaker in cast]
        counting = [at for at, each in enumerate(known) if id in self._counted(each.content, cast[each.speaker], names)]
        if not counting or counting[0] or known[0] is not messages[0]:
            return 0
        meant = [at for at, each in enumerate(known) if id in self._line(each.speaker, each.content, names).addressed]
        last = max((*counting, *meant))
        others = {each.speaker for each in known[last:]} - {known[last].speaker}
        return len(known) - 1 - last if others else 0


def _renamed(caution: float) -> float:
    """The value of a setting under its old name, with a warning."""
    warnings.warn(
        "detector 'rules': the setting caution is called silence_penalty now. Rename it in your settings.",
        FutureWarning,
        stacklevel=3,
    )
    return caution


def _presence(case: MessageCase, company: DramatisPersonae, *, played: bool) -> Presence:
    narrator, direct_message = case.speaker.kind == "narrator", case.moment.message.context == "dm"
    if played and not direct_message:
        return in_order(case, direction(case, company)) if narrator else line(case, company)
    if direct_message and not narrator:
        return direct(case)
    return in_order(case, narrated(case) if narrator else said(case))


def _line_of(speaker: str, text: str, names: Names) -> RecentLine:
    mentions = names.find(text)
    spoken_to = addressed(text, mentions)
    return line_of(speaker, text, spoken_to, [mention.id for mention in mentions])


def _stage(moment: Moment, speaker: Character, names: Names, *, played: bool) -> Referents:
    """Whom pronouns can mean: those here, who spoke last, and whom a narrator has just told of."""
    narrators = moment.cast.narrators
    spoke = (message.speaker for message in reversed(moment.recent) if message.speaker not in narrators)
    here = tuple(sorted(filter(moment.cast.by_id.__contains__, moment.state.here)))
    teller = None if speaker.id in narrators else speaker.id
    gone = () if teller else tuple(_gone_of_late(moment))
    stage = Referents(teller=teller, here=here, last=next(spoke, None), gone=gone)
    before = moment.recent[-1] if moment.recent else None
    if played or stage.teller or before is None or before.speaker not in narrators:
        return stage
    return stage.after_narration(before.content, names)


def _gone_of_late(moment: Moment) -> Iterator[str]:
    """Those who left within the recent messages, and are nowhere that the story has told."""
    lately = {message.sequence for message in moment.recent}
    left = [(id, where) for id, where in moment.whereabouts.items() if where.since in lately and not where.here]
    for id, where in sorted(left):
        if (
            id in moment.cast
            and (where.place or APART_FROM_ALL).startswith(APART_FROM_ALL)
            and where.condition == "awake"
        ):
            yield id


def _scene(moment: Moment, speaker: Character, reading: Reading, names: Names) -> tuple[Surroundings, tuple[str, ...]]:
    """Where the host says; else speech is where its speaker is, narration where those it names are, or at a place.

    With ids of those who have come along.
    """
    if moment.placed:
        return Surroundings.where_said(moment), ()
    if speaker.kind != "narrator":
        return stage(moment, reading, names)
    place = _narrated_place(moment, reading)
    comes = any(move.kind == "enter" and move.place for move in reading.moves)
    otherwise = place if place is not None or comes else looks(moment, names).place
    return Surroundings.around(moment, reading.named, otherwise), ()


def _narrated_place(moment: Moment, reading: Reading) -> str | None:
    """The place a narration is about. With nobody here and nobody named, it goes on where most of them are."""
    if (place := Surroundings.narrated_place(moment, moment.message.content)) is not None:
        return place
    if moment.state.here or reading.named:
        return None
    narrated = [message.content for message in reversed(moment.recent) if message.speaker == moment.message.speaker]
    lately = [place for text in narrated if (place := Surroundings.narrated_place(moment, text)) is not None]
    return max(lately, key=lambda place: len(Surroundings.at(moment, place).near), default=None)
