"""What the tests of commands share."""

from .conftest import Run, answer


def first_memory(run: Run, owner: str) -> str:
    """The id of the first message somebody remembers."""
    found = answer(run("inspect", "cellar", owner, "--filter", "type==message", "--json"))
    return str(found["memories"][0]["id"])


def everything(run: Run, store: str, session: str = "cellar") -> dict[str, object]:
    """What everybody remembers, in one store."""
    owners = ("alice", "bob", "charlie", "world")
    shelves = {owner: answer(run("inspect", session, owner, "--json", "--store", store)) for owner in owners}
    return {
        owner: [(each["id"], each["content"], each["metadata"]) for each in shelf["memories"]]
        for owner, shelf in shelves.items()
    }
