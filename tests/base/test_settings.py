"""Settings: TOML file < environment < flag, warnings for unknown names, refusals that name the setting."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base import secret_file, settings
from analytics_box.base.settings import Settings, SettingsError, load
from tests.cases import each

ROOT = Path(__file__).resolve().parents[2]

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


def test_data_directory_is_read_from_the_environment(tmp_path: Path) -> None:
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


REFUSED: tuple[tuple[str, str, str], ...] = (
    ("port", "99999", "enter a whole number from 0 to 65535"),
    ("port", "http", "enter a whole number from 0 to 65535"),
    ("write_queue", "0", "enter a whole number of at least 1"),
    ("query_seconds", "-1", "enter a number above 0"),
    ("log_level", "loud", "enter one of: debug, error, info, warning"),
    ("unix_socket_mode", "999", "enter a value such as 0660"),
)


@each(("name", "value", "wanted"), REFUSED)
def test_value_out_of_range_is_refused_with_the_values_that_work(name: str, value: str, wanted: str) -> None:
    variable = settings.ENVIRONMENT_PREFIX + name.upper()
    with pytest.raises(SettingsError) as refused:
        load({}, {variable: value})
    assert str(refused.value) == f"{name} ({variable}): {wanted}"
    assert refused.value.sentence == f"{wanted[0].upper()}{wanted[1:]}"


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
        ("https://box:secret@clickhouse.example.com/analytics", "clickhouse_url must not contain a password"),
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


# Values of the right type that cannot work, and a word of the reason.
UNUSABLE: tuple[tuple[str, str, str], ...] = (
    ("base_url", "https://example.com/stats", "the path /stats cannot be used"),
    ("base_url", "https://example.com/stats/", "the path /stats/ cannot be used"),
    ("ingest_url", "https://example.com/in", "the path /in cannot be used"),
    ("base_url", "stats.example.com", "enter a complete URL"),
    ("base_url", "ftp://stats.example.com", "enter a complete URL"),
    ("base_url", "https://", "enter a complete URL"),
    ("base_url", "http://[::1", "enter a complete URL"),
    ("base_url", "https://ada:secret@stats.example.com", "remove the user"),
    ("base_url", "https://stats.example.com?x=1", "remove ? and #"),
    ("base_url", "https://stats.example.com#x", "remove ? and #"),
    ("base_url", "https://stats.example.com:99999", "port"),
    ("base_url", "https://stats.example.com:http", "port"),
    ("base_url", "https://stats example.com", "not a host name"),
    ("base_url", "https://bücher.example", "enter that"),
    ("host", "http://0.0.0.0", "enter an IP address"),
    ("host", "0.0.0.0:8000", "enter an IP address"),
    ("host", "[::1]", "enter an IP address"),
    ("unix_socket_mode", "0444", "no program could write"),
    ("smtp_host", "smtp.example.com:587", "smtp_port"),
    ("smtp_host", "smtps://smtp.example.com", "smtp_security"),
    ("smtp_from", "Stats", "enter an email address"),
    ("smtp_from", "stats@", "enter an email address"),
    ("smtp_from", "a b@example.com", "enter an email address"),
    ("smtp_user", "box\nAUTH", "line breaks"),
    ("link_app_schemes", "my app", "not a scheme"),
    ("link_app_schemes", "myapp,javascript", "never open javascript:"),
    ("link_app_schemes", "https", "anyway"),
    ("monitor_canaries", "www.example.com", "not a host with a port"),
    ("monitor_canaries", "www.example.com:0", "not a host with a port"),
    ("monitor_canaries", "https://www.example.com:443", "not a host with a port"),
    ("geo_country_header", "CF IPCountry", "not a header name"),
    ("geo_city_header", "City:", "not a header name"),
    ("trusted_proxies", "127.0.0.1,proxy", "'proxy' is not an address or a range. Enter one such as 192.168.1.0/24"),
    ("backup_to", "s3://", "s3://bucket/prefix"),
    ("backup_to", "ftp://example.com/backups", "s3://bucket/prefix"),
)


@each(("name", "value", "reason"), UNUSABLE)
def test_value_that_cannot_work_is_refused_with_its_reason(name: str, value: str, reason: str) -> None:
    variable = settings.ENVIRONMENT_PREFIX + name.upper()
    with pytest.raises(SettingsError, match=re.escape(reason)) as refused:
        load({}, {variable: value})
    assert str(refused.value).startswith(f"{name} ({variable}): ")
    assert "secret" not in str(refused.value)
    assert getattr(load({}, {variable: value}, checked=False)[0], name)  # a support bundle is made anyway


USABLE: tuple[tuple[str, str], ...] = (
    ("base_url", "https://stats.example.com/"),
    ("base_url", "http://192.168.1.5:8000"),
    ("base_url", "http://[::1]:8000"),
    ("base_url", "https://xn--bcher-kva.example"),
    ("host", "::"),
    ("host", "fe80::1%eth0"),
    ("host", "box_1"),
    ("smtp_host", "mail"),
    ("smtp_host", "2001:db8::25"),
    ("smtp_from", "Stats <stats@example.com>"),
    ("link_app_schemes", "myapp://,com.example.app"),
    ("monitor_canaries", "[2001:db8::1]:443"),
    ("monitor_canaries", ""),
    ("geo_country_header", "CF-IPCountry"),
    ("backup_to", "s3://bucket/prefix"),
    ("backup_to", "~/backups"),
)


@each(("name", "value"), USABLE)
def test_usual_values_are_taken(name: str, value: str) -> None:
    load({}, {settings.ENVIRONMENT_PREFIX + name.upper(): value})


def test_every_default_can_work() -> None:
    defaults = dict(zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True))
    assert load({**defaults, "data_dir": "/srv/box"}, {})[1] == ()


MAIL = {"smtp_host": "smtp.example.com", "smtp_user": "apikey", "smtp_password_file": "/run/password"}
CONTRADICTIONS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"tls_certificate": "cert.pem", "tls_key": "key.pem", "base_url": "http://stats.example.com"}, "Use https://"),
    ({"ingest_url": "https://in.example.com"}, "ingest_url requires base_url"),
    (MAIL, "set smtp_from"),
    (MAIL | {"smtp_password_file": ""}, "smtp_user requires smtp_password_file"),
    ({"role": "primary"}, "requires cluster_key_file"),
    ({"node": 3}, "role = ingest requires node"),
    ({"clickhouse_keep_days": 7}, "at least 35"),
)


@each(("given", "reason"), CONTRADICTIONS)
def test_settings_that_contradict_each_other_are_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(reason)):
        load(given, {})


def test_settings_that_go_together_are_taken() -> None:
    load(MAIL | {"smtp_from": "stats@example.com"}, {})
    load(MAIL | {"smtp_user": "stats@example.com"}, {})
    load({"tls_certificate": "cert.pem", "tls_key": "key.pem", "base_url": "https://stats.example.com"}, {})


WITHOUT_EFFECT: tuple[tuple[dict[str, Any], str], ...] = (
    ({"smtp_from": "stats@example.com"}, "smtp_from has no effect without smtp_host"),
    ({"smtp_port": 25}, "smtp_port has no effect without smtp_host"),
    (
        {"smtp_host": "mail", "smtp_password_file": "/run/password"},
        "smtp_password_file has no effect without smtp_user",
    ),
    ({"metrics_token_file": "/run/token"}, "metrics_token_file has no effect without metrics = on"),
    ({"clickhouse_url": "http://clickhouse"}, "clickhouse_url has no effect without columnar = clickhouse"),
    ({"clickhouse_keep_days": 40}, "clickhouse_keep_days has no effect without columnar = clickhouse"),
    ({"columnar": "off", "columnar_memory": "1GB"}, "columnar_memory has no effect without columnar = auto or on"),
    ({"geo_country_header": "CF-IPCountry"}, "geo_country_header has no effect without trusted_proxies"),
    ({"primary_url": "https://10.0.0.5:8000"}, "primary_url has no effect without role = ingest"),
    ({"backup_keep": 3}, "backup_keep has no effect without backup_to"),
    ({"unix_socket_mode": "0600"}, "unix_socket_mode has no effect without unix_socket"),
    ({"unix_socket": "/run/box", "port": 80}, "port has no effect without listening on a port: clear unix_socket"),
)


@each(("given", "warning"), WITHOUT_EFFECT)
def test_setting_without_effect_is_warned_of(given: dict[str, Any], warning: str) -> None:
    assert load(given, {})[1] == (warning,)


def test_setting_with_effect_is_not_warned_of() -> None:
    given = {
        "geo_country_header": "CF-IPCountry",
        "trusted_proxies": ("10.0.0.1",),
        "backup_to": "/b",
        "backup_keep": 3,
    }
    assert load(given, {})[1] == ()


SECRETS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("smtp_password_file", {"smtp_host": "mail", "smtp_user": "ada@example.com"}),
    ("metrics_token_file", {"metrics": "on"}),
    ("clickhouse_password_file", {"columnar": "clickhouse", "clickhouse_url": "http://clickhouse"}),
)


@pytest.mark.parametrize(("name", "used"), SECRETS)
def test_secret_that_cannot_be_read_is_refused_at_the_start(tmp_path: Path, name: str, used: dict[str, Any]) -> None:
    file = tmp_path / "secret"
    found = replace(Settings(), **used, **{name: str(file)})
    with pytest.raises(SettingsError, match=f"{name}: .* cannot be read: No such file"):
        secret_file.check(found)
    file.write_text("\nsecond line")
    with pytest.raises(SettingsError, match=f"{name}: the first line of .* is empty"):
        secret_file.check(found)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=f"{name}: .* is not UTF-8"):
        secret_file.check(found)
    file.write_text("a secret")
    secret_file.check(found)
    secret_file.check(replace(Settings(), **{name: str(tmp_path / "none")}))  # not used


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


# The manual


def test_the_manual_says_how_variables_and_flags_are_named() -> None:
    page = (ROOT / "web" / "manual" / "settings.md").read_text("utf-8")
    [row] = [row for row in settings.table() if row.name == "base_url"]
    assert f"The variable of `base_url` is `{row.variable}`, its flag `--base-url`." in page
