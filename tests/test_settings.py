"""Settings: TOML file < environment < flag, warnings for unknown names, refusals that name the setting."""

import re
from pathlib import Path
from typing import Any

import pytest

from analytics_box import settings
from analytics_box.settings import Settings, SettingsError, load
from tests.cases import each

ROOT = Path(__file__).resolve().parents[1]

# One setting of each type: its name, how the file, the environment and a flag say it, and what each means.
TYPES: tuple[tuple[str, tuple[str, str, Any], tuple[Any, Any, Any]], ...] = (
    ("host", ('"10.0.0.1"', "10.0.0.2", "10.0.0.3"), ("10.0.0.1", "10.0.0.2", "10.0.0.3")),
    ("port", ("8001", "8002", 8003), (8001, 8002, 8003)),
    ("drain_seconds", ("1.5", "2.5", 3.5), (1.5, 2.5, 3.5)),
    ("durability", ('"normal"', "full", "normal"), ("normal", "full", "normal")),
    (
        "trusted_proxies",
        ('["10.0.0.0/8"]', "10.0.0.1, 10.0.0.2", ("::1",)),
        (("10.0.0.0/8",), ("10.0.0.1", "10.0.0.2"), ("::1",)),
    ),
    ("limit_track", ("0", "1", 2), (0, 1, 2)),
)


def file_in(directory: Path, content: str) -> dict[str, Any]:
    """A settings file in a data directory, and the flag that names that."""
    (directory / settings.FILE_NAME).write_text(content)
    return {"data_dir": str(directory)}


@pytest.mark.parametrize(("name", "said", "meant"), TYPES)
def test_a_flag_goes_before_the_environment_and_that_before_the_file(
    tmp_path: Path, name: str, said: tuple[str, str, Any], meant: tuple[Any, Any, Any]
) -> None:
    flags = file_in(tmp_path, f"{name} = {said[0]}\n")
    variable = {settings.ENVIRONMENT_PREFIX + name.upper(): said[1]}
    for given, environment, value in (
        (flags, {}, meant[0]),
        (flags, variable, meant[1]),
        ({**flags, name: said[2]}, variable, meant[2]),
        ({"data_dir": str(tmp_path / "elsewhere")}, {}, getattr(Settings(), name)),
    ):
        found, warnings = load(given, environment)
        assert getattr(found, name) == value
        assert warnings == ()


def test_the_data_directory_comes_from_the_environment_too(tmp_path: Path) -> None:
    file_in(tmp_path, "port = 9\n")
    found, _ = load({}, {"ANALYTICS_BOX_DATA_DIR": str(tmp_path)})
    assert (found.data_dir, found.port) == (tmp_path, 9)


def test_a_home_directory_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load({"data_dir": "~/box"}, {})[0].data_dir == tmp_path / "box"


def test_the_file_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("port = 9\n")
    assert load({}, {"ANALYTICS_BOX_CONFIG": str(tmp_path / "mine.toml")})[0].port == 9


def test_unknown_names_are_warned_of_and_change_nothing(tmp_path: Path) -> None:
    flags = file_in(tmp_path, "prot = 9\n[limits]\ntrack = 1\n")
    found, warnings = load(flags, {"ANALYTICS_BOX_PROT": "9", "OTHER": "x", "ANALYTICS_BOXES": "x"})
    assert found == Settings(data_dir=tmp_path)
    assert len(warnings) == 3
    for warning, word in zip(warnings, ("'prot'", "'limits'", "ANALYTICS_BOX_PROT"), strict=True):
        assert word in warning


BAD_VALUES = (
    ("port", "http"),
    ("port", "-1"),
    ("port", "65536"),
    ("port", ""),
    ("port", "8000.5"),
    ("drain_seconds", "-1"),
    ("drain_seconds", "soon"),
    ("durability", "sometimes"),
    ("log_level", "LOUD"),
    ("readers", "0"),
    ("readers", "65"),
    ("write_queue", "0"),
    ("limit_track", "-1"),
    ("max_event_bytes", "10"),
    ("host", "x" * 3_000),
    ("data_dir", ""),
)


@pytest.mark.parametrize(("name", "value"), BAD_VALUES)
def test_a_value_that_cannot_be_used_is_refused_with_the_settings_name(name: str, value: str) -> None:
    variable = settings.ENVIRONMENT_PREFIX + name.upper()
    with pytest.raises(SettingsError) as refused:
        load({}, {variable: value})
    assert name in str(refused.value)
    assert variable in str(refused.value)


@pytest.mark.parametrize("content", ["port = ", "port = 8000\nport = 8001", "\x00", "[["])
def test_a_file_that_is_no_toml_is_refused_by_its_name(tmp_path: Path, content: str) -> None:
    with pytest.raises(SettingsError, match=settings.FILE_NAME):
        load(file_in(tmp_path, content), {})


def test_a_wrong_type_in_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="trusted_proxies"):
        load(file_in(tmp_path, "trusted_proxies = 7\n"), {})


@each(
    ("url", "why"),
    [
        ("", "clickhouse_url must be an address like https://"),
        ("clickhouse.example.com:8123", "clickhouse_url must be an address like https://"),
        ("http://clickhouse.example.com:many/", "clickhouse_url must be an address like https://"),
        ("https://box:secret@clickhouse.example.com/analytics", "clickhouse_url has a password"),
    ],
)
def test_clickhouse_needs_an_address_without_a_password(tmp_path: Path, url: str, why: str) -> None:
    given = {"data_dir": str(tmp_path), "columnar": "clickhouse"}
    with pytest.raises(SettingsError, match=re.escape(why)) as refused:
        load(given | {"clickhouse_url": url}, {})
    assert "secret" not in str(refused.value)
    load(given | {"clickhouse_url": "https://box@clickhouse.example.com:8443/analytics"}, {})


def test_a_named_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=re.escape("gone.toml")):
        load({}, {"ANALYTICS_BOX_CONFIG": str(tmp_path / "gone.toml")})


def test_certificate_and_key_go_together() -> None:
    with pytest.raises(SettingsError, match="tls_certificate and tls_key"):
        load({"tls_certificate": "cert.pem"}, {})


@pytest.mark.parametrize(
    ("given", "public", "tracker", "secure"),
    [
        ({}, "http://localhost:8000", "http://localhost:8000", False),
        ({"host": "0.0.0.0", "port": 80}, "http://localhost:80", "http://localhost:80", False),
        ({"host": "10.1.2.3"}, "http://10.1.2.3:8000", "http://10.1.2.3:8000", False),
        ({"base_url": "https://stats.example/"}, "https://stats.example", "https://stats.example", True),
        (
            {"base_url": "https://stats.example", "ingest_url": "https://in.example/"},
            "https://stats.example",
            "https://in.example",
            True,
        ),
        ({"tls_certificate": "a", "tls_key": "b"}, "https://localhost:8000", "https://localhost:8000", True),
    ],
)
def test_addresses_follow_from_the_settings(given: dict[str, Any], public: str, tracker: str, secure: bool) -> None:
    found = Settings(**given)
    assert (found.public_url, found.tracker_url, found.secure) == (public, tracker, secure)


def test_every_setting_has_a_default_and_a_sentence_of_help() -> None:
    for row in settings.table():
        assert row.variable == f"ANALYTICS_BOX_{row.name.upper()}"
        assert row.help.endswith(".")
        assert len(row.help) > 10
    assert len({row.name for row in settings.table()}) == len(Settings.__struct_fields__)


# The manual's tables


def manual_rows() -> dict[str, tuple[str, str]]:
    """The lines of the tables of web/manual/settings.md: default and help by name."""
    page = (ROOT / "web" / "manual" / "settings.md").read_text("utf-8")
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines() if "| `" in line]
    return {name.strip("`"): (default.strip("`"), text) for name, default, text in cells}


def written(default: Any) -> str:
    if isinstance(default, Path):
        return "the user's data folder"
    if isinstance(default, tuple):
        default = ", ".join(default)
    return str(default) or "none"


def test_the_manual_lists_every_setting_and_no_other() -> None:
    assert list(manual_rows()) == [row.name for row in settings.table()]


@each("row", settings.table(), ids=lambda row: row.name)
def test_the_manual_says_of_a_setting_what_the_table_says(row: settings.Row) -> None:
    assert manual_rows()[row.name] == (written(row.default), row.help)


def test_the_manual_says_how_variables_and_flags_are_named() -> None:
    page = (ROOT / "web" / "manual" / "settings.md").read_text("utf-8")
    [row] = [row for row in settings.table() if row.name == "base_url"]
    assert f"The variable of `base_url` is `{row.variable}`, its flag `--base-url`." in page
