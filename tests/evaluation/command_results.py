"""What the tests of the commands share."""

from typing import Any

from click.testing import Result


def scores(report: Any, detector: str = "everyone", data: str = "tavern") -> dict[str, Any]:
    (result,) = [each for each in report["results"] if each["detector"] == detector]
    return {name: each["value"] for name, each in result["scores"][data]["values"].items()}


def failed(result: Result, said: str) -> None:
    assert result.exit_code == 2, result.output
    assert said in result.stderr
