"""A file is applied to another server over HTTP, with an API key and nothing else."""

import os
from pathlib import Path
from unittest import mock

from click.testing import CliRunner, Result

from analytics_box.app.cli.main import main
from tests.app.declared.test_apply import FILE
from tests.running import UNLIMITED, running_box

# What needs a channel, which is not in files.
WITHOUT_ALERTS = (
    FILE.partition("alertRules:")[0].replace("shop.example", "example.com").replace("    channels: [Operations]\n", "")
)


def apply(url: str, key: str, *options: str) -> Result:
    with mock.patch.dict(os.environ, {"ANALYTICS_BOX_KEY": key}):
        return CliRunner().invoke(main, ["apply", "--url", url, *options], input=WITHOUT_ALERTS)


def test_file_is_applied_to_a_remote_server_with_a_key(tmp_path: Path) -> None:
    with running_box(tmp_path / "data", **UNLIMITED) as box:
        applied = apply(box.url, box.account.api_key, "-f", "-", "--yes")
        assert applied.exit_code == 0, applied.stderr[-1500:]
        assert "+ statusPages shop: done" in applied.output
        assert apply(box.url, box.account.api_key, "-f", "-", "--yes").output == "No changes.\n"
        assert "slug: spring" in apply(box.url, box.account.api_key, "--dump").output
        unknown = apply(box.url, "svc_" + "x" * 48, "-f", "-", "--yes")
        assert (unknown.exit_code, "Authentication" in unknown.stderr or "key" in unknown.stderr) == (1, True)


def test_key_is_sent_to_encrypted_addresses_only() -> None:
    ended = apply("http://stats.example.com", "svc_x", "-f", "-")
    assert (ended.exit_code, "Enter an https:// address" in ended.stderr) == (1, True)
    missing = apply("https://stats.example.com", "", "-f", "-")
    assert (missing.exit_code, "ANALYTICS_BOX_KEY" in missing.stderr) == (1, True)
