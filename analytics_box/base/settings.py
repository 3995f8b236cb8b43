"""Every setting of the box, in one table: name, type, default, help, environment variable.

A value comes from the TOML file, over which the environment wins, over which a command-line flag wins. A test compares
the tables of web/manual/settings.md with this one.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct
from platformdirs import user_data_path

from analytics_box.base import setting_values
from analytics_box.base.urls import url_parts

ENVIRONMENT_PREFIX = "ANALYTICS_BOX_"
CONFIG_VARIABLE = "ANALYTICS_BOX_CONFIG"
FILE_NAME = "analytics-box.toml"
NOWHERE = Path()
LEAST_KEPT_DAYS = 35  # quarantined events are kept here for 30 days, whatever becomes of the others

_Text = Annotated[str, Meta(max_length=2048)]


def _default_data_dir() -> Path:
    """The default data directory of a user; NOWHERE for a user without a home directory, such as some services."""
    try:
        return user_data_path("analytics-box")
    except RuntimeError:
        return NOWHERE


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings after files, environment and flags have been read. Limits are counts per 60 s; 0 is unlimited."""

    # Where it runs
    data_dir: Annotated[Path, "Directory of the databases, salts and lock; made with mode 0700."] = _default_data_dir()
    host: Annotated[_Text, "Address to listen on."] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535), "Port to listen on; 0 lets the system choose."] = 8000
    unix_socket: Annotated[
        _Text,
        "Path of a Unix socket to listen on instead of host and port; what may write to it is trusted like a proxy.",
    ] = ""
    unix_socket_mode: Annotated[_Text, Meta(pattern="^0?[0-7]{3}$"), "Mode of that socket's file, in octal."] = "0660"
    base_url: Annotated[
        _Text,
        "Public address of the API and the pages, e.g. https://stats.example.com; empty: from host and port.",
    ] = ""
    ingest_url: Annotated[_Text, "Public address that trackers send to; empty: the same as base_url."] = ""
    tls_certificate: Annotated[_Text, "PEM file of a certificate chain; with tls_key the box serves https."] = ""
    tls_key: Annotated[_Text, "PEM file of the certificate's private key (PKCS#8)."] = ""
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Addresses or CIDR ranges of reverse proxies whose X-Forwarded-For or Forwarded header is trusted.",
    ] = ()
    allowed_private_targets: Annotated[
        tuple[str, ...],
        "Private addresses or CIDR ranges that administrators can reach and can open for organizations.",
    ] = ()
    dns_servers: Annotated[
        tuple[str, ...], "Name servers to ask, as 192.0.2.53 or 192.0.2.53:5353; empty: as the system resolves names."
    ] = ()
    # Several machines that take events
    role: Annotated[
        Literal["all", "primary", "ingest"],
        "What this machine does: all; or, where several take events, primary (all but events) or ingest (events).",
    ] = "all"
    node: Annotated[
        int, Meta(ge=0, le=1023), "Number of an ingest machine, 1 to 1023, never given to another one; 0: none."
    ] = 0
    primary_url: Annotated[_Text, "Where an ingest machine reaches the primary, e.g. https://10.0.0.5:8000."] = ""
    cluster_key_file: Annotated[
        _Text, "File whose first line is the key that the machines share; empty: there is one machine only."
    ] = ""

    # Logs
    log_level: Annotated[Literal["debug", "info", "warning", "error"], "How much is logged."] = "info"
    log_format: Annotated[
        Literal["auto", "text", "json"],
        "How it is logged: a line of text, a line of JSON, or auto (text on a terminal, otherwise JSON).",
    ] = "auto"
    access_log: Annotated[
        Literal["off", "on"], "A line for each request, without query strings, keys and addresses of visitors."
    ] = "off"

    # Watching it
    ready_free_mb: Annotated[
        int, Meta(ge=0), "Megabytes of free disk below which GET /health/ready answers 503; 0: however few."
    ] = 100
    metrics: Annotated[
        Literal["off", "on"],
        "GET /metrics for Prometheus. Needs a token, except for local requests if there is no proxy.",
    ] = "off"
    metrics_token_file: Annotated[
        _Text, "File whose first line is the bearer token that every GET /metrics request needs; empty: none."
    ] = ""

    # Storage
    durability: Annotated[
        Literal["full", "normal"],
        "full: an answer means the write survives a power cut; normal: it survives a crash of the box only.",
    ] = "full"
    readers: Annotated[
        int,
        Meta(ge=1, le=64),
        "Read connections to the events; queries take all but one of several, so that pages never wait for them.",
    ] = 4
    write_queue: Annotated[int, Meta(ge=1), "Writes that may wait for the disk before new ones are answered 503."] = (
        20_000
    )

    least_free_mb: Annotated[
        int,
        Meta(ge=0),
        "Megabytes of free disk below which events are refused, or 5 % of a small disk; 0: however few.",
    ] = 512

    # Backups
    backup_to: Annotated[
        _Text, "Where backups are made by themselves: a folder, or s3://bucket/prefix; empty: nowhere."
    ] = ""
    backup_every: Annotated[int, Meta(ge=0, le=8_760), "Hours between two backups to backup_to; 0: none."] = 24
    backup_keep: Annotated[
        int, Meta(ge=0, le=10_000), "Backups of this box that are kept in backup_to; older ones are removed; 0: all."
    ] = 14
    backup_passphrase_file: Annotated[
        _Text, "File whose first line seals backups, and opens them; empty: they are not sealed."
    ] = ""
    backup_reminder_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days without a backup after which administrators are told so, where none are made by themselves; 0: never.",
    ] = 7
    upgrade_backup: Annotated[
        Literal["on", "off"], "A backup in the data directory before a new version rewrites what is stored."
    ] = "on"

    # Organizations
    organizations_per_user: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        "Number of organizations that a user can create or own; unlimited for box administrators.",
    ] = 10
    # Websites
    budget_texts: Annotated[
        int,
        Meta(ge=0),
        "New paths, titles, names and other texts per website and hour, without a key; more of them become (other); "
        "0: no bound.",
    ] = 50_000
    budget_mb: Annotated[
        int, Meta(ge=0), "Megabytes of new texts and of properties per website and hour, without a key; 0: no bound."
    ] = 50
    grace_days: Annotated[
        int,
        Meta(ge=0, le=365),
        "Days in which a deleted website or feature flag can be restored; then it is removed with all its events.",
    ] = 7
    organization_grace_days: Annotated[
        int,
        Meta(ge=0, le=365),
        "Days in which a deleted organization can be restored; then all that was its own is removed.",
    ] = 30
    client_id_grace_days: Annotated[
        int, Meta(ge=0, le=3650), "Days for which the old client id of a website is accepted after a rotation."
    ] = 30

    # Short links
    links_in_memory: Annotated[
        int,
        Meta(ge=1_000),
        "Short links that are kept in memory, about 250 bytes each; of more than that only the latest used.",
    ] = 1_500_000
    link_clicks_days: Annotated[
        int, Meta(ge=0, le=3650), "Days for which clicks on short links are kept, without their totals; 0: for ever."
    ] = 0
    link_app_schemes: Annotated[
        tuple[str, ...], "Schemes of apps that links may open on phones besides http and https, e.g. myapp."
    ] = ()

    # Monitors
    monitors_per_organization: Annotated[int, Meta(ge=1, le=1_000_000), "Monitors that an organization may have."] = (
        10_000
    )
    monitor_checks_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days for which each check of a monitor is kept; older ones are put together by hour, and after 90 days by "
        "day; 0: for ever.",
    ] = 30
    monitor_history_days: Annotated[
        int, Meta(ge=0, le=3650), "Days for which checks and outages of monitors are kept at all; 0: for ever."
    ] = 0
    monitor_canaries: Annotated[
        tuple[str, ...],
        "Hosts with ports that show, when a monitor cannot be reached, whether the box is cut off; empty: never.",
    ] = ("www.wikipedia.org:443", "www.cloudflare.com:443", "www.google.com:443")

    # Feature flags
    flag_stale_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days without an evaluation, or with one outcome only, that make a flag stale; 0: never.",
    ] = 30
    flag_streams: Annotated[
        int,
        Meta(ge=0, le=100_000),
        "Clients that are told of changed flags over an open stream, at most half of max_connections; 0: none.",
    ] = 2_000
    flag_streams_address: Annotated[
        int, Meta(ge=1), "The same per IP address, at most half of max_connections_address."
    ] = 100

    # Status pages
    status_page_subscribers: Annotated[
        int, Meta(ge=0, le=1_000_000), "Subscribers that a status page may have, with those who have not confirmed yet."
    ] = 5_000

    # Geo
    geo_database: Annotated[
        _Text,
        "A .mmdb file such as GeoLite2-City, for regions and cities; read anew when it changes; empty: countries.",
    ] = ""
    geo_country_header: Annotated[
        _Text, "Header in which a trusted proxy names the client's country, e.g. CF-IPCountry; empty: none."
    ] = ""
    geo_region_header: Annotated[_Text, "The same for the region, e.g. CF-Region."] = ""
    geo_city_header: Annotated[_Text, "The same for the city, e.g. CF-IPCity."] = ""

    # Pages that keep themselves current
    live_streams: Annotated[
        int,
        Meta(ge=0, le=100_000),
        "Open pages that are told of new events over a stream, at most a quarter of max_connections; others ask every "
        "half a minute; 0: none.",
    ] = 1_000
    live_streams_address: Annotated[
        int, Meta(ge=1), "The same per IP address, at most a quarter of max_connections_address."
    ] = 50

    # Requests
    drain_seconds: Annotated[float, Meta(ge=0), "How long requests in flight may take to finish on SIGTERM."] = 5.0
    body_seconds: Annotated[float, Meta(gt=0), "Seconds a client has to send its body before it is answered 408."] = (
        10.0
    )
    idle_seconds: Annotated[
        float, Meta(gt=0), "Seconds after which a connection ends over which nothing came or went (Linux)."
    ] = 120.0
    max_connections: Annotated[
        int, Meta(ge=1), "Connections at the same time, or fewer where the system permits fewer open files."
    ] = 8_192
    max_connections_address: Annotated[
        int,
        Meta(ge=0),
        "Connections per address at the same time, trusted proxies exempt; the longest idle end first (Linux).",
    ] = 256
    max_requests_address: Annotated[
        int, Meta(ge=1), "Requests of one address that are answered at the same time, besides events; others wait."
    ] = 16
    max_bodies_bytes: Annotated[
        int,
        Meta(ge=16_777_216),
        "Bytes of request bodies held at the same time; requests without credentials can use a quarter.",
    ] = 25_165_824
    max_event_bytes: Annotated[int, Meta(ge=1024), "Largest body of one event."] = 65_536
    max_batch_bytes: Annotated[int, Meta(ge=1024), "Largest body of an array of events."] = 1_048_576
    max_query_bytes: Annotated[int, Meta(ge=1024), "Largest body of a query."] = 262_144
    query_seconds: Annotated[float, Meta(gt=0), "Seconds one query parameter may take before it fails."] = 10.0
    columnar: Annotated[
        Literal["auto", "on", "off", "clickhouse"],
        "Column replica of the events for fast queries: on, off, auto (once there are many events), or in ClickHouse.",
    ] = "auto"
    columnar_memory: Annotated[
        str, Meta(pattern=r"^[1-9][0-9]{0,5}(MB|GB)$"), "Memory that queries on the column replica may take in all."
    ] = "256MB"
    clickhouse_url: Annotated[
        _Text, "ClickHouse for columnar = clickhouse: https://user@clickhouse.example.com:8443/database."
    ] = ""
    clickhouse_password_file: Annotated[_Text, "File whose first line is that user's password."] = ""
    clickhouse_cluster: Annotated[
        str,
        Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_-]{0,63})?$"),
        "The cluster that shares the events; empty: one server.",
    ] = ""
    clickhouse_keep_days: Annotated[
        int,
        Meta(ge=0, le=36_500),
        "Days after which events that ClickHouse has leave events.db, at least 35; 0: events.db keeps all of them.",
    ] = 0
    answer_bytes: Annotated[
        int, Meta(ge=65_536), "Largest answer to one query request; a parameter with which it would be larger fails."
    ] = 16_777_216
    answer_rows: Annotated[
        int, Meta(ge=1), "Rows that one query request may ask for, the limits of its parameters together."
    ] = 100_000
    answer_bytes_anonymous: Annotated[
        int, Meta(ge=65_536), "The same as answer_bytes, for callers without a credential."
    ] = 2_097_152
    answer_rows_anonymous: Annotated[int, Meta(ge=1), "The same as answer_rows, for callers without a credential."] = (
        2_000
    )
    query_queue: Annotated[int, Meta(ge=1), "Query parameters that may wait before new ones are answered 503."] = 256

    # Limits: requests per 60 seconds
    limit_track: Annotated[
        int, Meta(ge=0), "Event requests per API key and route, or per website and address on all routes."
    ] = 600
    limit_identify: Annotated[int, Meta(ge=0), "POST /identify per website and address; limit_track per API key."] = 60
    limit_query: Annotated[int, Meta(ge=0), "POST /v1/query per API key or signed-in user."] = 120
    limit_compile: Annotated[int, Meta(ge=0), "POST /v1/query/compile per API key or signed-in user."] = 300
    limit_export: Annotated[
        int, Meta(ge=0), "Exports of data and of pages of figures per API key or signed-in user."
    ] = 10
    limit_query_anonymous: Annotated[int, Meta(ge=0), "POST /v1/query per address without a credential."] = 60
    limit_rpc: Annotated[int, Meta(ge=0), "Each procedure per API key, signed-in user or address."] = 300
    limit_key: Annotated[int, Meta(ge=0), "All API requests of one API key, unless the key has a limit of its own."] = (
        300
    )
    limit_key_in_flight: Annotated[int, Meta(ge=0), "API requests of one API key at the same time."] = 20
    limit_key_events: Annotated[int, Meta(ge=0), "All event requests of one API key, on any route."] = 1_200
    limit_key_events_in_flight: Annotated[int, Meta(ge=0), "Event requests of one API key at the same time."] = 200
    limit_link_lookups: Annotated[
        int, Meta(ge=0), "Orphan clicks (404) and clicks on links that are not in memory, per IP address."
    ] = 60
    limit_link_passwords: Annotated[int, Meta(ge=0), "Passwords per address and protected short link."] = 10
    limit_push: Annotated[int, Meta(ge=0), "Pushes to monitors (/push/…) per IP address."] = 600
    limit_flags: Annotated[
        int, Meta(ge=0), "Evaluations of flags (/public/v1/flags/…) per website or organization and IP address."
    ] = 600
    limit_sign_in: Annotated[
        int,
        Meta(ge=0),
        "Tries to sign in or set up, per address; beyond as many for one account, browsers that it does not know wait.",
    ] = 10
    limit_address: Annotated[int, Meta(ge=0), "All requests per address, before any other check; /health exempt."] = (
        6_000
    )

    # E-mail
    smtp_host: Annotated[_Text, "Mail server for invitations and other messages; empty: no mail is sent."] = ""
    smtp_port: Annotated[int, Meta(ge=1, le=65535), "Port of the mail server."] = 587
    smtp_security: Annotated[
        Literal["starttls", "tls", "none"],
        "starttls: switch to TLS first; tls: TLS from the start (often port 465); none: in clear, for a local server.",
    ] = "starttls"
    smtp_user: Annotated[_Text, "User to sign in at the mail server; empty: do not sign in."] = ""
    smtp_password_file: Annotated[_Text, "File whose first line is that user's password."] = ""
    smtp_from: Annotated[_Text, "Address that messages come from; empty: smtp_user."] = ""

    @property
    def secure(self) -> bool:
        """Whether people reach the box over https, so that cookies can be Secure."""
        return self.public_url.startswith("https://")

    @property
    def public_url(self) -> str:
        """The address in links and snippets, without a trailing slash."""
        scheme = "https" if self.tls_certificate else "http"
        host = "localhost" if self.host in {"127.0.0.1", "0.0.0.0", "::", "::1"} else self.host  # noqa: S104  compared
        return (self.base_url or f"{scheme}://{host}:{self.port}").rstrip("/")

    @property
    def tracker_url(self) -> str:
        """The address that trackers load from and send to, without a trailing slash."""
        return (self.ingest_url or self.public_url).rstrip("/")


class SettingRow(NamedTuple):
    """A line of the table of settings."""

    name: str
    type: Any
    default: Any
    variable: str
    help: str


def table() -> tuple[SettingRow, ...]:
    """All settings in the order of their declaration."""
    hints = get_type_hints(Settings, include_extras=True)
    return tuple(
        SettingRow(
            name=name,
            type=hints[name],
            default=default,
            variable=ENVIRONMENT_PREFIX + name.upper(),
            help=next(word for word in reversed(get_args(hints[name])) if isinstance(word, str)),
        )
        for name, default in zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True)
    )


class SettingsError(Exception):
    """A setting has a value that cannot be used; the message names the setting and says what is wanted."""


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, *, checked: bool = True
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from TOML file < environment < flags, and warnings about unknown names and settings without effect.

    `flags` holds only what was given on the command line. The file is named by ANALYTICS_BOX_CONFIG, else it is
    analytics-box.toml in the data directory, if there is one. Raises SettingsError, if `checked` also for values of the
    right type that cannot work.
    """
    environ = os.environ if environment is None else environment
    known = {row.name: row for row in table()}
    variables = {row.variable: row.name for row in known.values()}
    given = {variables[variable]: text for variable, text in environ.items() if variable in variables}
    data_dir = Path(flags.get("data_dir") or given.get("data_dir") or known["data_dir"].default)

    named = environ.get(CONFIG_VARIABLE)
    path = configuration_file(data_dir, environ)
    content = _read_setting(path) if named or (data_dir != NOWHERE and os.path.isfile(path)) else {}

    warnings = [f"{path}: {name!r} is not a setting" for name in content if name not in known]
    warnings += [
        f"environment: {variable} is not a setting"
        for variable in sorted(environ)
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in variables and variable != CONFIG_VARIABLE
    ]
    merged: dict[str, Any] = {name: value for name, value in content.items() if name in known}
    merged |= {name: _from_text(known[name], text) for name, text in given.items()}
    merged |= dict(flags)
    settings = _convert(merged, known, checked=checked)
    warnings += _without_effect(settings)
    if settings.data_dir == NOWHERE and "data_dir" not in merged:
        raise SettingsError(
            "This user has no home directory: name a place for the data with --data-dir or ANALYTICS_BOX_DATA_DIR"
        )
    return settings, tuple(warnings)


def configuration_file(data_dir: Path, environment: Mapping[str, str] | None = None) -> Path:
    """The file with the settings of this data directory, whether it exists or not."""
    named = (os.environ if environment is None else environment).get(CONFIG_VARIABLE)
    return Path(named) if named else data_dir / FILE_NAME


def _read_setting(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as broken:
        raise SettingsError(f"{path} cannot be read: {broken.strerror}") from broken
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise SettingsError(f"{path} is not valid TOML: {broken}") from broken


def _from_text(row: SettingRow, text: str) -> Any:
    if isinstance(row.default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str | Path) and str(value):
        try:
            return Path(value).expanduser()
        except RuntimeError as homeless:
            raise msgspec.ValidationError(f"{value}: there is no home directory; give the whole path") from homeless
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`, got {value!r}")


def _convert(values: dict[str, Any], known: Mapping[str, SettingRow], *, checked: bool) -> Settings:
    converted = {}
    for name, value in values.items():
        try:
            converted[name] = msgspec.convert(value, known[name].type, strict=False, dec_hook=_path)
        except msgspec.ValidationError as broken:
            raise SettingsError(f"{name} ({known[name].variable}): {broken}") from broken
        if checked and (wrong := setting_values.wrong(name, converted[name])):
            raise SettingsError(f"{name} ({known[name].variable}): {wrong}")
    settings = Settings(**converted)
    if checked:
        for check in (_check_addresses, _check_mail, _check_events, _check_role):
            check(settings)
    return settings


def _without_effect(settings: Settings) -> list[str]:
    """Warnings about settings that have no effect because of another setting."""
    usual = Settings()
    smtp = ("smtp_port", "smtp_security", "smtp_user", "smtp_password_file", "smtp_from")
    clickhouse = ("clickhouse_url", "clickhouse_password_file", "clickhouse_cluster", "clickhouse_keep_days")
    geo = ("geo_country_header", "geo_region_header", "geo_city_header")
    needs: tuple[tuple[tuple[str, ...], bool, str], ...] = (
        (("unix_socket_mode",), bool(settings.unix_socket), "unix_socket"),
        (("host", "port"), not settings.unix_socket, "listening on a port: clear unix_socket"),
        (("primary_url",), settings.role == "ingest", "role = ingest"),
        (("metrics_token_file",), settings.metrics == "on", "metrics = on"),
        (("backup_every", "backup_keep"), bool(settings.backup_to), "backup_to"),
        (
            ("monitor_checks_days",),
            settings.monitor_checks_days <= (settings.monitor_history_days or 3_650),
            "a longer monitor_history_days",
        ),
        (
            geo,
            bool(settings.trusted_proxies or settings.unix_socket),
            "trusted_proxies",
        ),
        (("columnar_memory",), settings.columnar in {"auto", "on"}, "columnar = auto or on"),
        (clickhouse, settings.columnar == "clickhouse", "columnar = clickhouse"),
        (smtp, bool(settings.smtp_host), "smtp_host"),
        (("smtp_password_file",), bool(settings.smtp_user), "smtp_user"),
    )
    return [
        f"{name} has no effect without {what}"
        for names, met, what in needs
        if not met
        for name in names
        if getattr(settings, name) != getattr(usual, name)
    ]


def _check_addresses(settings: Settings) -> None:
    """Raises SettingsError for addresses under which the box cannot be reached."""
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        raise SettingsError("tls_certificate and tls_key go together: set both or neither")
    if settings.tls_certificate and settings.base_url.startswith("http://"):
        raise SettingsError("base_url begins with http://, but tls_certificate makes the box serve https; use https://")
    if settings.ingest_url and not settings.base_url:
        raise SettingsError("ingest_url needs base_url; set both, or requests to the other host name are refused")


def _check_mail(settings: Settings) -> None:
    """Raises SettingsError for a mail server that cannot take anything."""
    if not settings.smtp_host:
        return
    if settings.smtp_user and not settings.smtp_password_file:
        raise SettingsError("smtp_user needs smtp_password_file, the file with its password")
    if settings.smtp_user and not settings.smtp_from and setting_values.mail_address(settings.smtp_user):
        raise SettingsError("set smtp_from, because smtp_user is not an email address")


def _check_events(settings: Settings) -> None:
    """Raises SettingsError if events would be kept nowhere."""
    if settings.columnar == "clickhouse":
        _check_clickhouse(settings.clickhouse_url)
    if 0 < settings.clickhouse_keep_days < LEAST_KEPT_DAYS:
        raise SettingsError(f"clickhouse_keep_days must be 0 or at least {LEAST_KEPT_DAYS}")
    if settings.clickhouse_keep_days and settings.cluster_key_file and settings.role != "ingest":
        raise SettingsError(
            "Of several machines only ingest machines may have clickhouse_keep_days: the primary keeps its events"
        )


def _check_role(settings: Settings) -> None:
    """Raises SettingsError where what several machines need of each other is missing."""
    if settings.cluster_key_file and settings.columnar != "clickhouse":
        raise SettingsError("Several machines put their events together in ClickHouse: set columnar to clickhouse")
    if settings.role != "all" and not settings.cluster_key_file:
        raise SettingsError(f"role = {settings.role} needs cluster_key_file, the key that the machines share")
    if (settings.role == "ingest") != bool(settings.node):
        raise SettingsError("role = ingest and node go together: each ingest machine has a number of its own from 1 on")
    if settings.role != "ingest":
        return
    if not settings.primary_url or setting_values.origin(settings.primary_url):
        raise SettingsError("primary_url must be the address of the primary, such as https://10.0.0.5:8000")


def _check_clickhouse(url: str) -> None:
    try:
        given = url_parts(url)
        named, secret = given.scheme in {"http", "https"} and given.hostname and given.port != 0, given.password
    except ValueError:  # of a port that is none
        named, secret = False, None
    if not named:
        raise SettingsError("clickhouse_url must be an address like https://user@clickhouse.example.com:8443/database")
    if secret is not None:
        raise SettingsError("clickhouse_url has a password: it belongs into a file that clickhouse_password_file names")
