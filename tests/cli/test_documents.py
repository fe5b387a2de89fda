"""`earwitness upload` and `earwitness documents`."""

from pathlib import Path

from .conftest import Run, told


def test_a_file_is_uploaded_listed_replaced_and_forgotten(played: Run, folder: Path) -> None:
    file = folder / "ledger.md"
    file.write_text("# Debts\n\nAlice owes eleven silver for maps.\n", "utf-8")
    words = ("cellar", str(file), "--for", "bob", "--title", "The ledger")
    assert played("upload", *words).output == "The ledger (ledger.md): 1 piece for bob, version 1\n"
    assert played("upload", *words).output.endswith("Nothing new\n")
    assert "The ledger (Debts):" in played("recall", "cellar", "bob", "eleven silver").output
    assert "eleven silver for maps" not in played("recall", "cellar", "alice", "eleven silver").output
    file.write_text("Alice has paid.", "utf-8")
    assert told(played("upload", *words, "--json"))[0]["document"]["version"] == 2
    assert "version 2" in played("documents", "cellar").output
    assert played("documents", "cellar", "--for", "bob", "--forget", "ledger.md").output.endswith("forgotten\n")
    assert played("documents", "cellar").output == "no documents\n"


def test_what_cannot_be_uploaded_is_named_with_what_can(played: Run, folder: Path) -> None:
    (folder / "a.docx").write_bytes(b"")
    (folder / "a.txt").write_text("Hello.", "utf-8")
    (folder / "a.pdf").write_bytes(b"%PDF-1.4\n1 0 obj <<\nendobj junk\n")
    for words, why in {
        ("cellar", "a.docx", "--for", "bob"): ".md",
        ("cellar", "none.txt", "--for", "bob"): "No such file",
        ("cellar", "a.txt", "--for", "nobody"): "alice, bob, charlie",
        ("cellar", "a.pdf", "--for", "bob"): "a.pdf: it cannot be read as a PDF",
        ("nowhere", "a.txt", "--for", "bob"): "cellar",
    }.items():
        result = played("upload", *words)
        assert result.exit_code == 2
        assert why in result.output
        assert "EOF marker" not in result.output
    unknown = played("documents", "cellar", "--for", "nobody")
    assert (unknown.exit_code, "'nobody'. Known: alice, bob, charlie" in unknown.stderr) == (2, True)
