"""`earwitness serve --proxy`: a proxy for front ends."""

import signal
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from earwitness.errors import InputError, SettingsError
from earwitness_plugins.commands.serve import command
from earwitness_plugins.testing.model import ScriptedModel

MAIN = "from earwitness_plugins.console import main; main()"


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    from openai import OpenAI

    with ScriptedModel(["Hello."]) as model:
        settings = tmp_path / "earwitness.toml"
        settings.write_text(f'[model]\nmodel = "m"\nbase_url = "{model.url}"\napi_key = "{model.key}"\n')
        words = [sys.executable, "-c", MAIN, "serve", "--proxy", "--port", "0", "--settings", str(settings)]
        with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
            try:
                assert running.stdout is not None
                url = running.stdout.readline().partition("Serving at ")[2].partition(". Stop")[0]
                token = running.stdout.readline().partition("API key: ")[2].strip()
                with OpenAI(base_url=url, api_key=token, max_retries=0, timeout=30) as client:
                    said = client.chat.completions.create(
                        model="m#session=s&character=Alice", messages=[{"role": "user", "content": "Hi."}]
                    )
                assert said.choices[0].message.content == "Hello."
                running.send_signal(signal.SIGINT)
                assert running.stdout.read() == "Stopped.\n"
                assert running.wait(30) in {0, 130}
            finally:
                running.kill()


def test_without_a_token_in_the_settings_it_serves_this_machine_alone(tmp_path: Path) -> None:
    settings = tmp_path / "earwitness.toml"
    settings.write_text('[model]\nmodel = "m"\n')
    words = ["--proxy", "--host", "0.0.0.0", "--settings", str(settings), "--store", str(tmp_path / "s.db")]
    result = CliRunner().invoke(command, words)
    assert isinstance(result.exception, SettingsError)
    assert "set a token" in str(result.exception)


def test_it_wants_to_know_what_to_serve() -> None:
    assert isinstance(CliRunner().invoke(command, []).exception, InputError)
