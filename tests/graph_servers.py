"""Servers that speak Bolt, for the tests of graph stores: ArcadeDB, which comes from PyPI, and Neo4j itself.

Neo4j needs Java 17 or newer and Maven, which fetches its jars once (123 MB) into a cache outside the repository.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

NEO4J = "5.26.30"
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>earwitness</groupId><artifactId>neo4j-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{NEO4J}</version></dependency>
  </dependencies>
</project>
"""
MAIN = """
import java.nio.file.Path;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

public class Neo4jForTests {
    public static void main(String[] args) throws Exception {
        var server = new DatabaseManagementServiceBuilder(Path.of(args[0]))
            .setConfig(BoltConnector.enabled, true)
            .setConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", Integer.parseInt(args[1])))
            .build();
        System.out.println("ready");
        while (System.in.read() != -1) { }
        server.shutdown();
    }
}
"""


class BoltServer(NamedTuple):
    """How to reach a server."""

    uri: str
    user: str = "neo4j"
    password: str | None = None
    database: str = "neo4j"

    @property
    def settings(self) -> dict[str, Any]:
        """What `Neo4jGraph` takes, to be checked like settings."""
        from pydantic import SecretStr

        password = None if self.password is None else SecretStr(self.password)
        return {"uri": self.uri, "user": self.user, "password": password, "database": self.database}

    @property
    def auth(self) -> tuple[str, str] | None:
        """What the driver takes."""
        return None if self.password is None else (self.user, self.password)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def arcadedb_server(folder: Path) -> Iterator[BoltServer]:
    """An ArcadeDB inside this process, with an empty database `neo4j`."""
    import arcadedb

    port, password = free_port(), "earwitness-tests"
    config = {
        "host": "127.0.0.1",
        "http_port": 0,
        "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "bolt_port": port,
        "bolt_defaultDatabase": "neo4j",
    }
    server = arcadedb.create_server(root_path=str(folder), root_password=password, config=config)
    server.start()
    try:
        server.create_database("neo4j")
        yield BoltServer(f"bolt://127.0.0.1:{port}", "root", password)
    finally:
        server.stop()


def neo4j_jars() -> Path:
    """The folder with Neo4j's jars. Skips the test where Java or Maven is missing."""
    for tool, name in (("java", "Java 17 or newer"), ("mvn", "Maven")):
        if shutil.which(tool) is None:
            pytest.skip(f"the tests against Neo4j {NEO4J} itself need {name}: there is no `{tool}` on the PATH")
    from fcntl import LOCK_EX, flock  # not on every system; the other servers need it not

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "earwitness-tests" / f"neo4j-{NEO4J}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        flock(lock, LOCK_EX)  # other processes of this run may want them too
        if not (cache / "complete").exists():
            fetch(cache)
    return cache / "lib"


def fetch(cache: Path) -> None:
    (cache / "pom.xml").write_text(POM)
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
    run = subprocess.run(command, cwd=cache, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode:
        why = f"Maven could not fetch Neo4j {NEO4J}: {run.stdout[-500:]}"
        pytest.fail(why) if "CI" in os.environ else pytest.skip(why)
    (cache / "complete").touch()


@contextmanager
def neo4j_server(folder: Path) -> Iterator[BoltServer]:
    """A Neo4j in a process of its own, without a password."""
    jars, port = neo4j_jars(), free_port()
    (folder / "Neo4jForTests.java").write_text(MAIN)
    command = ["java", "-Xmx512m", "-cp", f"{jars}/*", "Neo4jForTests.java", str(folder / "data"), str(port)]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert server.stdout is not None
            if not any("ready" in line for line in server.stdout):
                raise RuntimeError(f"Neo4j did not start: {(folder / 'log').read_text()[-2000:]}")
            yield BoltServer(f"bolt://127.0.0.1:{port}")
        finally:
            server.communicate(timeout=60)  # closes its input, which ends it


@pytest.fixture(scope="session")
def arcadedb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoltServer]:
    """An ArcadeDB inside this process."""
    with arcadedb_server(tmp_path_factory.mktemp("arcadedb")) as server:
        yield server


@pytest.fixture(scope="session")
def neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoltServer]:
    """A real Neo4j; without Java or Maven the test is skipped, and says so."""
    with neo4j_server(tmp_path_factory.mktemp("neo4j")) as server:
        yield server


@pytest.fixture(scope="session")
def named_server() -> BoltServer:
    """The server that `NEO4J_URI` names; without it the test is skipped, and says so."""
    uri = os.environ.get("NEO4J_URI")
    if not uri:
        pytest.skip("NEO4J_URI names no server; with NEO4J_USER and NEO4J_PASSWORD this test runs on any")
    given = {name: os.environ.get(f"NEO4J_{name.upper()}") for name in ("user", "password", "database")}
    return BoltServer(uri, **{name: value for name, value in given.items() if value})


if __name__ == "__main__":  # fetch ahead what takes minutes
    neo4j_jars()
