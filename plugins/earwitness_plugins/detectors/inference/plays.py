"""A play: stage directions say who is on stage, and who is on stage hears what is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness.records.message import Role
from earwitness.records.moment import Moment, Movement, Perceived, Presence

from ..plays import vocabulary as words
from ..plays.dramatis_personae import DramatisPersonae
from ..plays.stage_directions import directed, is_direction
from ..plays.stage_state import StageState
from ..text.movements import Move
from .message_case import MessageCase, perceived

_SHORT = 80
WINGS = "wings"
"""Where a narrator stands once directions were read: this is how later messages know that it is a play."""


def is_play(moment: Moment) -> bool:
    """Whether the story has been told by stage directions, or is so by this message."""
    narrators = moment.cast.narrators
    if any((where := moment.whereabouts.get(id)) is not None and where.place == WINGS for id in narrators):
        return True
    return moment.message.speaker in narrators and is_direction(moment.message.content)


def direction(case: MessageCase, company: DramatisPersonae) -> Presence:
    """A direction: those on stage perceive it, who comes by it, and who goes."""
    boards = _boards(case, company)
    directed_moves = directed(case.moment.message.content, boards) or tuple(_moves_in_prose(case, boards))
    moves = [move for move in directed_moves if not _rises(case, move)]
    movements = [
        Movement(character=move.id, kind="enter" if move.kind == "enter" else "leave", evidence=_evidence_of(move))
        for move in moves
    ]
    if (unseen := _spoke_unseen(case)) is not None:
        movements.append(Movement(character=unseen, kind="leave", evidence="speaks from within"))
    coming = [(move.id, perceived(case.confidences.entered, "present", _evidence_of(move))) for move in moves]
    near = [(id, perceived(case.confidences.on_stage, "present", case.scene.since(id))) for id in case.scene.near]
    return case.presence(near, coming, movements=(*_behind_the_scenes(case), *movements))


def _moves_in_prose(case: MessageCase, boards: StageState) -> Iterator[Move]:
    """`Bob storms off`: no direction of the theatre, but somebody on stage goes. `They withdraw`, and overhear."""
    if words.GOES.search(case.moment.message.content):
        return
    for move in case.reading.moves:
        if move.kind == "leave" and move.id in boards.here and move.id in case.reading.named:
            yield move


def _rises(case: MessageCase, move: Move) -> bool:
    """The dead do not enter: they may speak."""
    return move.kind == "enter" and case.scene.condition(move.id) == "dead"


def line(case: MessageCase, company: DramatisPersonae) -> Presence:
    """A line: everybody on stage hears it, whoever it is for; an aside is for nobody."""
    movements = tuple(_entrance(case, company))
    if case.reading.confined and not case.reading.segments:
        return case.presence(((id, case.shut_out(id)) for id in case.scene.near), movements=movements)
    confined = case.reading.confined
    heard = _heard_as_aside(case, confined.listeners) if confined else _on_stage(case)
    return case.presence(heard, movements=movements)


def _on_stage(case: MessageCase) -> Iterator[tuple[str, Perceived]]:
    for id in case.scene.near:
        role: Role = "addressee" if id in case.reading.addressed else "present"
        yield id, perceived(case.confidences.on_stage, role, "on stage", case.scene.since(id))


def _heard_as_aside(case: MessageCase, listeners: Sequence[str]) -> Iterator[tuple[str, Perceived]]:
    for id in case.scene.near:
        if id in listeners:
            yield id, case.whispered_to(id)
        yield id, case.shut_out(id)


def _entrance(case: MessageCase, company: DramatisPersonae) -> Iterator[Movement]:
    """A character who speaks is on stage, unless as one of a group that is; a namesake put there instead leaves."""
    id = case.speaker.id
    if not case.reading.in_story or id in case.scene.near or company.group_on(id, case.scene.near):
        return
    spoke = {message.speaker for message in case.moment.recent}
    for other in company.mistaken_for(id, case.scene.near):
        if other not in spoke:
            yield Movement(character=other, kind="leave", evidence=f"it was {case.speaker.name} who came")
    yield Movement(character=id, kind="enter", evidence="spoke")


def _boards(case: MessageCase, company: DramatisPersonae) -> StageState:
    narrators = case.moment.cast.narrators
    spoke = (message.speaker for message in reversed(case.moment.recent) if message.speaker in company.parts)
    return StageState(
        company=company,
        here=tuple(id for id in case.moment.state.here if id not in narrators and id in company.parts),
        seen=frozenset(case.moment.whereabouts),
        spoke=tuple(dict.fromkeys(spoke)),
        since={id: where.since for id, where in case.moment.whereabouts.items()},
    )


def _spoke_unseen(case: MessageCase) -> str | None:
    """`within`, after a line of somebody who was not on stage: they still are not."""
    last = case.moment.recent[-1] if case.moment.recent else None
    content = case.moment.message.content
    if last is None or len(content) > _SHORT or not words.UNSEEN.match(content):
        return None
    where = case.moment.whereabouts.get(last.speaker)
    came = where is not None and where.here and where.since == last.sequence
    return last.speaker if came and not case.narrates(last.speaker) else None


def _behind_the_scenes(case: MessageCase) -> Iterator[Movement]:
    where = case.moment.whereabouts.get(case.speaker.id)
    if where is None or where.place != WINGS:
        yield Movement(character=case.speaker.id, kind="move", place=WINGS, evidence="tells by stage directions")


def _evidence_of(move: Move) -> str:
    return f"{'entered' if move.kind == 'enter' else 'left'}: {move.evidence!r}"
