"""What a model would remember of a conversation, in the conversation's own file: proposed, approved, rejected. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness import Record
from earwitness.clock import now
from earwitness.errors import InputError, quoted
from earwitness.ids import derive
from earwitness.records.prose import counted, gist
from earwitness_plugins.consolidation import Consolidation
from earwitness_plugins.review import Proposal, Reviewed, ReviewStatus, ReviewWrite
from earwitness_plugins.review.records import LONGEST_TEXT

from .file import ConversationHead
from .records import AssistantMessage

KIND = "consolidation"
HISTORY, MEMORY = "history_entry", "memory_update"


class ConsolidatedStretch(Record):
    """What is to be remembered of some messages in a row."""

    first: int
    """The number of the first of them."""
    after: int
    """The number of the message after the last one."""
    written: Consolidation = Consolidation()
    """What nobody needs to approve."""
    proposal: Proposal | None = None
    """What a model says besides."""
    write: ReviewWrite = "review"
    """What is done with the proposal."""


def with_lines(head: ConversationHead, made: Consolidation) -> ConversationHead:
    """The head with what was consolidated. What it holds already stays."""
    facts = tuple(dict.fromkeys((*head.facts, *made.memory_update)))
    history = (*head.history, made.history_entry) if made.history_entry.strip() else head.history
    return head.model_copy(update={"facts": facts, "history": history})


def waiting_lines(head: ConversationHead) -> tuple[str, ...]:
    """What would go to the long-term memory if all that waits were approved."""
    return tuple(line for each in head.proposals if each.status == "waiting" for line in written_by(each).memory_update)


def written_by(reviewed: Reviewed) -> Consolidation:
    """What a proposal writes."""
    lines = reviewed.proposal.payload.get(MEMORY)
    update = tuple(map(str, lines)) if isinstance(lines, list | tuple) else ()
    return Consolidation(history_entry=str(reviewed.proposal.payload.get(HISTORY, "")), memory_update=update)


def proposal_of(
    head: ConversationHead,
    messages: Sequence[AssistantMessage],
    stretch: ConsolidatedStretch,
    made: Consolidation,
    by: str,
) -> Proposal | None:
    """What a model would remember of these messages, as far as it is new; `None` if nothing is."""
    decided = {line for each in head.proposals for line in written_by(each).memory_update}
    told = {*head.facts, *stretch.written.memory_update, *decided}
    said = Consolidation(
        history_entry=made.history_entry.strip(),
        memory_update=tuple(each for each in dict.fromkeys(made.memory_update) if each.strip() and each not in told),
    )
    if not said.text:
        return None
    of = "\n".join(f"- {gist(str(each))}" for each in messages)
    return Proposal(
        kind=KIND,
        text=f"{said.text}\n\nof {counted(len(messages), 'message')}:\n{of}"[:LONGEST_TEXT],
        about=(head.key,),
        payload={HISTORY: said.history_entry, MEMORY: list(said.memory_update)},
        by=by,
        version=made.version,
        usage=made.usage,
        notes=made.notes,
        identity=(head.key, head.run, str(stretch.first), str(stretch.after)),
    )


def submitted(head: ConversationHead, proposal: Proposal, container: str, write: ReviewWrite) -> ConversationHead:
    """The head with a proposal that waits, or (`auto`) with what it writes. The same is proposed once."""
    id = derive("review", container, proposal.same)[:12]
    if write == "off" or any(each.id == id for each in head.proposals):
        return head
    found = Reviewed(id=id, session=container, proposal=proposal, time=now())
    head = head.model_copy(update={"proposals": (*head.proposals, found)})
    return approved(head, id, by="auto") if write == "auto" else head


def approved(head: ConversationHead, id: str, *, by: str, content: str | None = None) -> ConversationHead:
    """The head with what a proposal writes, in other words if `content` is given. Approving twice writes once.

    Raises `InputError` for a proposal that went with its conversation, and for other words than those that were
    approved before.
    """
    found = of_id(head, id)
    if found.status == "approved":
        _check_written(head, found, content)
        return head
    says = written_by(found) if content is None else _in_other_words(content)
    others = _approved_lines(head)
    new = tuple(each for each in says.memory_update if each not in head.facts or each in others)
    payload = {HISTORY: says.history_entry, MEMORY: list(new)}
    found = found.model_copy(update={"proposal": found.proposal.model_copy(update={"payload": payload})})
    return with_lines(_decided(head, found, "approved", by), written_by(found))


def rejected(head: ConversationHead, id: str, *, by: str, reason: str) -> ConversationHead:
    """The head with a proposal rejected; if it was approved, without what it alone had written. Raises `InputError`."""
    found = of_id(head, id)
    if found.status == "rejected":
        return head
    if found.status == "approved":
        head = _without(head, found)
    return _decided(head, found, "rejected", by, reason)


def of_id(head: ConversationHead, id: str) -> Reviewed:
    """A proposal. Raises `InputError` for one that went with its conversation."""
    found = next((each for each in head.proposals if each.id == id), None)
    if found is None:
        raise InputError(f"proposal {id!r} has fallen: what was said in conversation {head.key!r} was forgotten.")
    return found


def _check_written(head: ConversationHead, found: Reviewed, content: str | None) -> None:
    """Raises `InputError` where what was approved says otherwise."""
    says = set(written_by(found).memory_update if content is None else _in_other_words(content).memory_update)
    written = set(written_by(found).memory_update)
    if not written <= says <= written.union(head.facts):
        raise InputError(
            f"proposal {found.id!r} was approved before, in other words: {quoted(content)} is not remembered. To have "
            "these words instead, reject the proposal, which takes back what it wrote, and approve it with them."
        )


def _in_other_words(content: str) -> Consolidation:
    return Consolidation(memory_update=tuple(each.strip() for each in content.splitlines() if each.strip()))


def _approved_lines(head: ConversationHead, *, but: str = "") -> set[str]:
    """What approved proposals say for the long-term memory, all `but` one."""
    approved = (each for each in head.proposals if each.status == "approved" and each.id != but)
    return {line for each in approved for line in written_by(each).memory_update}


def _without(head: ConversationHead, found: Reviewed) -> ConversationHead:
    """The head without what one approved proposal wrote. What others wrote in the same words stays."""
    said = written_by(found)
    gone = {*said.memory_update} - _approved_lines(head, but=found.id)
    return head.model_copy(
        update={
            "facts": tuple(each for each in head.facts if each not in gone),
            "history": _without_entry(head, found.id, said.history_entry),
        }
    )


def _without_entry(head: ConversationHead, id: str, entry: str) -> tuple[str, ...]:
    """The history without one of the entries of these words. Approved ones are in the order of their proposals."""
    same = [number for number, each in enumerate(head.history) if each == entry]
    if not same:
        return head.history
    approved = [each for each in head.proposals if each.status == "approved"]
    writers = [each.id for each in approved if written_by(each).history_entry == entry]
    gone = same[max(0, len(same) - len(writers) + writers.index(id))]
    return (*head.history[:gone], *head.history[gone + 1 :])


def _decided(
    head: ConversationHead, found: Reviewed, status: ReviewStatus, by: str, reason: str = ""
) -> ConversationHead:
    done = found.model_copy(update={"status": status, "decided_by": by, "reason": reason})
    return head.model_copy(
        update={"proposals": tuple(done if each.id == found.id else each for each in head.proposals)}
    )
