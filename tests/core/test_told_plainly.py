"""What cannot be used is named, with what to do about it."""

from pathlib import Path

import pytest

from earwitness import Earwitness, Plugin
from earwitness.errors import PluginError, SettingsError
from earwitness.loading.files import read_yaml
from earwitness_plugins.sqlite import errors
from earwitness_plugins.terminal.errors import as_failure


@pytest.mark.parametrize("path", ["", " "])
def test_a_path_that_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(SettingsError, match="names no file"):
        Earwitness.open(path)


class Wrong(Plugin):
    def on_message(self, e):  # type: ignore[no-untyped-def,override]
        return None


def test_a_hooks_parameter_is_named_event() -> None:
    with pytest.raises(PluginError, match="Name it `event`"):
        Earwitness.open(":memory:", plugins=[Wrong()])


def test_a_module_that_fails_inside_is_told_from_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fails_inside.py").write_text("from earwitness import NoSuchName\n")
    (tmp_path / "is_there.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SettingsError, match="mend it there"):
        Earwitness.open(":memory:", detector="fails_inside.Ears")
    for absent in ("is_there.Ears", "is_not_there.Ears"):
        with pytest.raises(SettingsError, match=r"Write module\.Class, importable here"):
            Earwitness.open(":memory:", detector=absent)


def test_files_without_permission_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError) as raised:
        read_yaml(tmp_path, SettingsError)
    assert str(raised.value).startswith(f"{str(tmp_path)!r} cannot be read")
    denied = PermissionError(13, "Permission denied", "r2.yaml")
    assert as_failure(denied).message.startswith("'r2.yaml' cannot be read or written: Permission denied.")
    assert "'s.db' cannot be read (Permission denied)" in str(errors.translated(denied, "s.db", 1))
    story = tmp_path / "s.db"
    story.touch()
    monkeypatch.setattr(errors.os, "access", lambda path, _: Path(path) == story)
    import apsw

    assert str(errors.translated(apsw.ReadOnlyError(), str(story), 1)).startswith(f"{str(tmp_path)!r} may not be")
