"""Every setting of the box, in one table: name, type, default, help, environment variable.

A value comes from the TOML file, over which the environment wins, over which a command-line flag wins. The manual shows
this table, by section.
"""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct
from platformdirs import user_data_path

from analytics_box.base import setting_values
from analytics_box.base.urls import url_parts
from analytics_box.base.wrong_values import number_range, one_of, wrong_value

ENVIRONMENT_PREFIX = "ANALYTICS_BOX_"
CONFIG_VARIABLE = "ANALYTICS_BOX_CONFIG"
FILE_NAME = "analytics-box.toml"
NOWHERE = Path()
LEAST_KEPT_DAYS = 35  # quarantined events are kept here for 30 days, whatever becomes of the others

_Text = Annotated[str, Meta(max_length=2048)]


class Editable(NamedTuple):
    """The mark of a setting that box administrators can change in the settings area.

    A `secret` is stored encrypted, never shown, and no option of the command line. It has to be entered again if the
    setting `bound_to` changes. With `restart` a change takes effect at the next start.
    """

    secret: bool = False
    bound_to: str = ""
    restart: bool = False


_EDITABLE = Editable()


def _default_data_dir() -> Path:
    """The default data directory of a user; NOWHERE for a user without a home directory, such as some services."""
    try:
        return user_data_path("analytics-box")
    except RuntimeError:
        return NOWHERE


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings after files, environment and flags have been read. Limits are counts per 60 s; 0 is unlimited."""

    # Server
    data_dir: Annotated[Path, "Directory for the databases, keys and lock. Created with mode 0700."] = (
        _default_data_dir()
    )
    host: Annotated[_Text, "Address to listen on."] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535), "Port to listen on. 0 selects a free port."] = 8000
    unix_socket: Annotated[
        _Text,
        "Path of a Unix socket to listen on instead of host and port. Clients that can write to it are "
        "trusted like a proxy.",
    ] = ""
    unix_socket_mode: Annotated[_Text, Meta(pattern="^0?[0-7]{3}$"), "File mode of the Unix socket, in octal."] = "0660"
    base_url: Annotated[
        _Text,
        "Public address of the server, such as https://stats.example.com. If empty, it follows from host and port.",
        Editable(restart=True),
    ] = ""
    ingest_url: Annotated[_Text, "Public address that trackers send events to. If empty, base_url."] = ""
    tls_certificate: Annotated[
        _Text, "PEM file with the certificate chain. Together with tls_key it enables HTTPS."
    ] = ""
    tls_key: Annotated[_Text, "PEM file with the private key of the certificate (PKCS#8)."] = ""
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Addresses or CIDR ranges of reverse proxies whose X-Forwarded-For or Forwarded header is trusted.",
    ] = ()
    proxy_secret: Annotated[
        _Text,
        "Secret of at least 16 characters. Proxies without a fixed address send it in X-Proxy-Secret, and are then "
        "trusted like trusted_proxies.",
        Editable(secret=True, restart=True),
    ] = ""
    allowed_private_targets: Annotated[
        tuple[str, ...],
        "Private addresses or CIDR ranges that administrators can reach and can open for organizations.",
        _EDITABLE,
    ] = ()
    dns_servers: Annotated[
        tuple[str, ...], "Name servers, such as 192.0.2.53 or 192.0.2.53:5353. If empty, those of the system."
    ] = ()
    # Several machines that take events
    role: Annotated[
        Literal["all", "primary", "ingest"],
        "Role of this machine: all, primary (everything but events) or ingest (only events).",
    ] = "all"
    node: Annotated[int, Meta(ge=0, le=1023), "Unique number of an ingest node, 1 to 1023. 0 for other machines."] = 0
    primary_url: Annotated[_Text, "Address of the primary, such as https://10.0.0.5:8000. For ingest nodes only."] = ""
    cluster_key_file: Annotated[
        _Text, "File whose first line is the key that all machines share. Empty for a single machine."
    ] = ""

    # Logs
    log_level: Annotated[Literal["debug", "info", "warning", "error"], "Lowest level of messages to log."] = "info"
    log_format: Annotated[
        Literal["auto", "text", "json"],
        "Format of log lines: text, json, or auto (text on a terminal, otherwise JSON).",
    ] = "auto"
    access_log: Annotated[
        Literal["off", "on"], "Log each request, without query strings, keys and visitor addresses."
    ] = "off"

    # Watching it
    ready_free_mb: Annotated[
        int, Meta(ge=0), "Megabytes of free disk space below which GET /health/ready returns 503. 0 disables the check."
    ] = 100
    metrics: Annotated[
        Literal["off", "on"],
        "Enable GET /metrics for Prometheus. Without a token, only local requests are answered, if there is no proxy.",
    ] = "off"
    metrics_token_file: Annotated[
        _Text, "File whose first line is the bearer token that GET /metrics requires. If empty, no token is required."
    ] = ""

    # Storage
    durability: Annotated[
        Literal["full", "normal"],
        "full: confirmed writes survive a power failure. normal: they survive only a crash of the server.",
    ] = "full"
    readers: Annotated[
        int,
        Meta(ge=1, le=64),
        "Number of read connections to the events. Queries use all but one, so that pages never wait for queries.",
    ] = 4
    write_queue: Annotated[
        int, Meta(ge=1), "Maximum number of writes waiting for the disk. Further writes are refused with 503."
    ] = 20_000

    least_free_mb: Annotated[
        int,
        Meta(ge=0),
        "Megabytes of free disk space, or 5 % of a small disk, below which events are refused. 0 disables the check.",
    ] = 512

    # Backups
    backup_to: Annotated[
        _Text, "Destination of scheduled backups: a folder, or s3://bucket/prefix. Empty disables them.", _EDITABLE
    ] = ""
    backup_every: Annotated[
        int, Meta(ge=0, le=8_760), "Hours between scheduled backups. 0 disables them.", _EDITABLE
    ] = 24
    backup_keep: Annotated[
        int, Meta(ge=0, le=10_000), "Number of backups to keep in backup_to. 0 keeps all.", _EDITABLE
    ] = 14
    backup_passphrase_file: Annotated[
        _Text, "File whose first line is the passphrase that encrypts backups. If empty, backups are not encrypted."
    ] = ""
    backup_passphrase: Annotated[
        _Text, "The passphrase itself, instead of a file with it. At least 8 characters.", Editable(secret=True)
    ] = ""
    s3_endpoint: Annotated[
        _Text, "Address of the S3 storage of backups, if it is not AWS. If empty, AWS_ENDPOINT_URL.", _EDITABLE
    ] = ""
    s3_region: Annotated[_Text, "Region of the S3 storage. If empty, AWS_REGION.", _EDITABLE] = ""
    s3_access_key: Annotated[_Text, "Access key ID for the S3 storage. If empty, AWS_ACCESS_KEY_ID.", _EDITABLE] = ""
    s3_secret_key: Annotated[
        _Text,
        "Secret access key for the S3 storage. If empty, AWS_SECRET_ACCESS_KEY.",
        Editable(secret=True, bound_to="s3_endpoint"),
    ] = ""
    backup_reminder_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days without a backup after which administrators see a reminder, unless backups are scheduled. 0 disables it.",
    ] = 7
    upgrade_backup: Annotated[
        Literal["on", "off"], "Create a backup in the data directory before a new version upgrades the files."
    ] = "on"

    # Organizations
    organizations_per_user: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        "Number of organizations that a user can create or own. Unlimited for server administrators.",
    ] = 10
    # Websites
    budget_texts: Annotated[
        int,
        Meta(ge=0),
        "New paths, titles, names and other texts per website and hour, without an API key. The rest is "
        "stored as (other). 0 is unlimited.",
    ] = 50_000
    budget_mb: Annotated[
        int,
        Meta(ge=0),
        "Megabytes of new texts and properties per website and hour, without an API key. 0 is unlimited.",
    ] = 50
    grace_days: Annotated[
        int,
        Meta(ge=0, le=365),
        "Days during which a deleted website or feature flag can be restored. Then its data is removed.",
    ] = 7
    organization_grace_days: Annotated[
        int,
        Meta(ge=0, le=365),
        "Days during which a deleted organization can be restored. Then its data is removed.",
    ] = 30
    client_id_grace_days: Annotated[
        int, Meta(ge=0, le=3650), "Days during which the previous client ID of a website is accepted after a rotation."
    ] = 30

    # Short links
    links_in_memory: Annotated[
        int,
        Meta(ge=1_000),
        "Number of short links to keep in memory, about 250 bytes each. Only recently used links are kept.",
    ] = 1_500_000
    link_clicks_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days to keep clicks on short links. Their totals are always kept. 0 keeps clicks forever.",
    ] = 0
    link_app_schemes: Annotated[
        tuple[str, ...], "App schemes that links can open on phones in addition to http and https, such as myapp."
    ] = ()

    # Monitors
    monitors_per_organization: Annotated[
        int, Meta(ge=1, le=1_000_000), "Maximum number of monitors per organization."
    ] = 10_000
    monitor_checks_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days to keep each check of a monitor. Older checks are summarized by hour, and after 90 days by day. "
        "0 keeps them forever.",
    ] = 30
    monitor_history_days: Annotated[
        int, Meta(ge=0, le=3650), "Days to keep summarized checks and outages of monitors. 0 keeps them forever."
    ] = 0
    monitor_canaries: Annotated[
        tuple[str, ...],
        "Hosts with ports, checked after a monitor fails to find out whether the server is offline. Empty "
        "disables this.",
    ] = ("www.wikipedia.org:443", "www.cloudflare.com:443", "www.google.com:443")

    # Feature flags
    flag_stale_days: Annotated[
        int,
        Meta(ge=0, le=3650),
        "Days without an evaluation, or with only one outcome, after which a flag is stale. 0 disables this.",
    ] = 30
    flag_streams: Annotated[
        int,
        Meta(ge=0, le=100_000),
        "Maximum number of clients that receive flag changes over a stream, up to half of max_connections. 0 "
        "disables streams.",
    ] = 2_000
    flag_streams_address: Annotated[
        int, Meta(ge=1), "Maximum number of flag streams per IP address, up to half of max_connections_address."
    ] = 100

    # Status pages
    status_page_subscribers: Annotated[
        int, Meta(ge=0, le=1_000_000), "Maximum number of subscribers per status page, including unconfirmed ones."
    ] = 5_000

    # Location
    geo_database: Annotated[
        _Text,
        "A .mmdb file for regions and cities, such as GeoLite2-City. Reloaded when it changes. If empty, only "
        "countries are detected.",
    ] = ""
    geo_country_header: Annotated[
        _Text, "Header in which a trusted proxy sends the country of the client, such as CF-IPCountry."
    ] = ""
    geo_region_header: Annotated[_Text, "Header in which a trusted proxy sends the region, such as CF-Region."] = ""
    geo_city_header: Annotated[_Text, "Header in which a trusted proxy sends the city, such as CF-IPCity."] = ""

    # Live updates
    live_streams: Annotated[
        int,
        Meta(ge=0, le=100_000),
        "Maximum number of pages with live updates, up to a quarter of max_connections. Other pages update "
        "every 30 seconds. 0 disables streams.",
    ] = 1_000
    live_streams_address: Annotated[
        int,
        Meta(ge=1),
        "Maximum number of pages with live updates per IP address, up to a quarter of max_connections_address.",
    ] = 50

    # Requests
    drain_seconds: Annotated[float, Meta(ge=0), "Seconds that open requests have to finish after SIGTERM."] = 5.0
    body_seconds: Annotated[
        float, Meta(gt=0), "Seconds that a client has to send its request body before the server returns 408."
    ] = 10.0
    idle_seconds: Annotated[
        float, Meta(gt=0), "Seconds without traffic after which a connection is closed (Linux)."
    ] = 120.0
    max_connections: Annotated[
        int, Meta(ge=1), "Maximum number of connections, or fewer if the system allows fewer open files."
    ] = 8_192
    max_connections_address: Annotated[
        int,
        Meta(ge=0),
        "Maximum number of connections per IP address, except trusted proxies. The longest idle ones are "
        "closed first (Linux).",
    ] = 256
    max_requests_address: Annotated[
        int,
        Meta(ge=1),
        "Requests of an IP address that are processed at the same time, except events. Further requests wait.",
    ] = 16
    max_bodies_bytes: Annotated[
        int,
        Meta(ge=16_777_216),
        "Total bytes of request bodies in memory. Requests without credentials can use a quarter.",
    ] = 25_165_824
    max_event_bytes: Annotated[int, Meta(ge=1024), "Maximum request body of an event, in bytes."] = 65_536
    max_batch_bytes: Annotated[int, Meta(ge=1024), "Maximum request body of a batch of events, in bytes."] = 1_048_576
    max_query_bytes: Annotated[int, Meta(ge=1024), "Maximum request body of a query, in bytes."] = 262_144
    query_seconds: Annotated[float, Meta(gt=0), "Maximum duration of one query parameter, in seconds."] = 10.0
    columnar: Annotated[
        Literal["auto", "on", "off", "clickhouse"],
        "Column store for fast queries: on, off, auto (once there are many events), or clickhouse.",
    ] = "auto"
    columnar_memory: Annotated[
        str, Meta(pattern=r"^[1-9][0-9]{0,5}(MB|GB)$"), "Total memory for queries on the column store."
    ] = "256MB"
    clickhouse_url: Annotated[
        _Text, "Address of ClickHouse, such as https://user@clickhouse.example.com:8443/database."
    ] = ""
    clickhouse_password_file: Annotated[_Text, "File whose first line is the ClickHouse password."] = ""
    clickhouse_cluster: Annotated[
        str,
        Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_-]{0,63})?$"),
        "ClickHouse cluster that stores the events. Empty for a single server.",
    ] = ""
    clickhouse_keep_days: Annotated[
        int,
        Meta(ge=0, le=36_500),
        "Days after which events in ClickHouse are removed from events.db, at least 35. 0 keeps them in both.",
    ] = 0
    answer_bytes: Annotated[
        int, Meta(ge=65_536), "Maximum size of a query response, in bytes. Parameters that exceed it fail."
    ] = 16_777_216
    answer_rows: Annotated[int, Meta(ge=1), "Maximum number of rows per query request, summed over its parameters."] = (
        100_000
    )
    answer_bytes_anonymous: Annotated[
        int, Meta(ge=65_536), "Maximum size of a query response for callers without credentials, in bytes."
    ] = 2_097_152
    answer_rows_anonymous: Annotated[
        int, Meta(ge=1), "Maximum number of rows per query request for callers without credentials."
    ] = 2_000
    query_queue: Annotated[
        int, Meta(ge=1), "Maximum number of waiting query parameters. Further queries are refused with 503."
    ] = 256

    # Errors
    source_map_bytes: Annotated[
        int,
        Meta(ge=1_000_000),
        "Bytes of compressed source maps that a website can have. New ones replace the oldest.",
    ] = 100_000_000

    # Imports of history
    import_bytes: Annotated[
        int,
        Meta(ge=1_000_000),
        "Bytes of the largest file that can be uploaded to import history. It can unpack to 20 times as much.",
    ] = 2_000_000_000

    # Limits: requests per 60 seconds
    limit_track: Annotated[
        int, Meta(ge=0), "Event requests per API key and route, or per website and IP address on all routes."
    ] = 600
    limit_identify: Annotated[
        int, Meta(ge=0), "POST /identify per website and IP address. Requests with an API key use limit_track."
    ] = 60
    limit_query: Annotated[int, Meta(ge=0), "POST /v1/query per API key or user."] = 120
    limit_compile: Annotated[int, Meta(ge=0), "POST /v1/query/compile per API key or user."] = 300
    limit_export: Annotated[int, Meta(ge=0), "Exports of data and dashboards per API key or user."] = 10
    limit_query_anonymous: Annotated[int, Meta(ge=0), "POST /v1/query per IP address, without credentials."] = 60
    limit_rpc: Annotated[int, Meta(ge=0), "Calls of each procedure per API key, user or IP address."] = 300
    limit_key: Annotated[int, Meta(ge=0), "API requests per API key, unless the key has its own limit."] = 300
    limit_key_in_flight: Annotated[int, Meta(ge=0), "API requests per API key at the same time."] = 20
    limit_key_events: Annotated[int, Meta(ge=0), "Event requests per API key on all routes."] = 1_200
    limit_key_events_in_flight: Annotated[int, Meta(ge=0), "Event requests per API key at the same time."] = 200
    limit_link_lookups: Annotated[
        int, Meta(ge=0), "Orphan clicks (404) and clicks on links that are not in memory, per IP address."
    ] = 60
    limit_link_passwords: Annotated[int, Meta(ge=0), "Password attempts per IP address and protected short link."] = 10
    limit_push: Annotated[int, Meta(ge=0), "Heartbeats (/push/…) per IP address."] = 600
    limit_webhooks: Annotated[int, Meta(ge=0), "Webhooks of payment providers (/webhooks/…) per IP address."] = 600
    limit_flags: Annotated[
        int, Meta(ge=0), "Flag evaluations (/public/v1/flags/…) per website or organization and IP address."
    ] = 600
    limit_sign_in: Annotated[
        int,
        Meta(ge=0),
        "Attempts to sign in or set up, per IP address. Unknown browsers also wait after this many attempts "
        "for one account.",
    ] = 10
    limit_address: Annotated[
        int, Meta(ge=0), "All requests per IP address, before any other check. /health is exempt."
    ] = 6_000

    # Email
    smtp_host: Annotated[
        _Text, "Mail server for invitations, alerts and reports. If empty, no email is sent.", _EDITABLE
    ] = ""
    smtp_port: Annotated[int, Meta(ge=1, le=65535), "Port of the mail server.", _EDITABLE] = 587
    smtp_security: Annotated[
        Literal["starttls", "tls", "none"],
        "starttls: upgrade to TLS. tls: TLS from the start (often port 465). none: no encryption, for a local server.",
        _EDITABLE,
    ] = "starttls"
    smtp_user: Annotated[_Text, "User name at the mail server. If empty, the server does not sign in.", _EDITABLE] = ""
    smtp_password_file: Annotated[_Text, "File whose first line is the password of smtp_user."] = ""
    smtp_password: Annotated[
        _Text,
        "The password of smtp_user itself, instead of a file with it.",
        Editable(secret=True, bound_to="smtp_host"),
    ] = ""
    smtp_from: Annotated[_Text, "Sender address of emails. If empty, smtp_user.", _EDITABLE] = ""

    def __repr__(self) -> str:
        """Names only, so that no secret gets into a log."""
        return f"Settings({', '.join(self.changes())})"

    def changes(self) -> dict[str, Any]:
        """The settings that do not have their default."""
        usual = zip(self.__struct_fields__, self.__struct_defaults__, strict=True)
        return {name: value for name, default in usual if (value := getattr(self, name)) != default}

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
    editable: Editable | None
    option: str


@cache
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
            editable=next((mark for mark in get_args(hints[name]) if isinstance(mark, Editable)), None),
            option="--" + name.replace("_", "-"),
        )
        for name, default in zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True)
    )


_SECTIONS = {  # the first setting of each section, and its title
    "data_dir": "Server",
    "role": "Several machines",
    "log_level": "Logs and health",
    "durability": "Disk and database",
    "backup_to": "Backups",
    "organizations_per_user": "Organizations",
    "budget_texts": "Budgets and retention",
    "links_in_memory": "Short links",
    "monitors_per_organization": "Monitors",
    "flag_stale_days": "Feature flags",
    "status_page_subscribers": "Status pages",
    "geo_database": "Location",
    "live_streams": "Live updates",
    "drain_seconds": "Connections",
    "max_bodies_bytes": "Request bodies",
    "query_seconds": "Queries",
    "source_map_bytes": "Source maps",
    "import_bytes": "Imports",
    "limit_track": "Limits per 60 seconds",
    "smtp_host": "Email",
}


def sections() -> dict[str, list[str]]:
    """The names of all settings by the title of their section."""
    result: dict[str, list[str]] = {}
    names: list[str] = []
    for name in Settings.__struct_fields__:
        if name in _SECTIONS:
            names = result.setdefault(_SECTIONS[name], [])
        names.append(name)
    return result


class SettingsError(Exception):
    """A setting has a value that cannot be used; the message names the setting and says what is wanted.

    `setting` is its name, if it is about one, and `sentence` the reason for a form.
    """

    def __init__(self, message: str, setting: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.setting = setting
        self.sentence = f"{(reason or message)[:1].upper()}{(reason or message)[1:]}"


class GivenSettings(NamedTuple):
    """The settings that were given at the start: their values, and by name where each is from."""

    values: dict[str, Any]
    sources: dict[str, str]
    warnings: list[str]


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, *, checked: bool = True
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from TOML file < environment < flags, and warnings about unknown names and settings without effect.

    `flags` holds only what was given on the command line. The file is named by ANALYTICS_BOX_CONFIG, else it is
    analytics-box.toml in the data directory, if there is one. Raises SettingsError, if `checked` also for values of the
    right type that cannot work.
    """
    known = {row.name: row for row in table()}
    given = given_settings(flags, environment)
    settings = _convert(given.values, known, checked=checked)
    warnings = given.warnings + _without_effect(settings)
    if settings.data_dir == NOWHERE and "data_dir" not in given.values:
        raise SettingsError("This user has no home directory. Set --data-dir or ANALYTICS_BOX_DATA_DIR")
    return settings, tuple(warnings)


def given_settings(flags: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> GivenSettings:
    """Read the TOML file, the environment and flags without converting values. Raises SettingsError."""
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
    values: dict[str, Any] = {name: value for name, value in content.items() if name in known}
    sources = dict.fromkeys(values, str(path))
    values |= {name: _from_text(known[name], text) for name, text in given.items()}
    sources |= {name: known[name].variable for name in given}
    values |= dict(flags)
    sources |= {name: known[name].option for name in flags}
    return GivenSettings(values, sources, warnings)


def with_changes(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with these values, which are converted and checked. Raises SettingsError."""
    known = {row.name: row for row in table()}
    return _convert(settings.changes() | dict(values), known, checked=True)


def configuration_file(data_dir: Path, environment: Mapping[str, str] | None = None) -> Path:
    """The file with the settings of this data directory, whether it exists or not."""
    named = (os.environ if environment is None else environment).get(CONFIG_VARIABLE)
    return Path(named) if named else data_dir / FILE_NAME


def _read_setting(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as broken:
        raise SettingsError(f"{path} cannot be read: {broken.strerror}") from broken
    except UnicodeDecodeError as broken:
        raise SettingsError(f"{path} is not UTF-8 text. Save it with this encoding") from broken
    except tomllib.TOMLDecodeError as broken:
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
            raise msgspec.ValidationError(f"{value}: there is no home directory. Enter the full path") from homeless
    raise msgspec.ValidationError("enter the path of a file or folder")


def _convert(values: dict[str, Any], known: Mapping[str, SettingRow], *, checked: bool) -> Settings:
    converted = {}
    for name, value in values.items():
        try:
            converted[name] = msgspec.convert(value, known[name].type, strict=False, dec_hook=_path)
        except msgspec.ValidationError as broken:
            wrong = _instruction(known[name], broken)
            raise SettingsError(f"{name} ({known[name].variable}): {wrong}", name, wrong) from broken
        if checked and (wrong := setting_values.wrong(name, converted[name])):
            raise SettingsError(f"{name} ({known[name].variable}): {wrong}", name, wrong)
    settings = Settings(**converted)
    if checked:
        for check in (_check_addresses, _check_mail, _check_events, _check_role):
            check(settings)
    return settings


def _instruction(row: SettingRow, broken: msgspec.ValidationError) -> str:
    """The values that a setting can have, as an instruction."""
    from msgspec import inspect  # noqa: PLC0415  only for a value that is refused

    match inspect.type_info(row.type):
        case inspect.LiteralType(values=values):
            return f"enter {one_of(values)}"
        case inspect.IntType() | inspect.FloatType() as number:
            return f"enter {number_range(number)}"
        case inspect.StrType(pattern=str()):
            return f"enter a value such as {row.default}"
        case inspect.VarTupleType():
            return "enter a list of texts"
    return str(broken) if "Path" in str(row.type) else wrong_value(broken, row.type).message


def _without_effect(settings: Settings) -> list[str]:
    """Warnings about settings that have no effect because of another setting."""
    usual = Settings()
    smtp = ("smtp_port", "smtp_security", "smtp_user", "smtp_password", "smtp_password_file", "smtp_from")
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
        (("smtp_password", "smtp_password_file"), bool(settings.smtp_user), "smtp_user"),
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
        raise SettingsError("set both tls_certificate and tls_key, or neither")
    if settings.tls_certificate and settings.base_url.startswith("http://"):
        raise SettingsError("base_url starts with http://, but tls_certificate enables https. Use https://", "base_url")
    if settings.ingest_url and not settings.base_url:
        raise SettingsError(
            "ingest_url requires base_url. Set both, otherwise requests to the other host name are refused", "base_url"
        )


def _check_mail(settings: Settings) -> None:
    """Raises SettingsError for a mail server that cannot take anything."""
    if not settings.smtp_host:
        return
    if settings.smtp_user and not (settings.smtp_password or settings.smtp_password_file):
        raise SettingsError(
            "smtp_user requires smtp_password_file, a file with the password", "smtp_password", "enter the password"
        )
    if settings.smtp_user and not settings.smtp_from and setting_values.mail_address(settings.smtp_user):
        raise SettingsError(
            "set smtp_from, because smtp_user is not an email address",
            "smtp_from",
            "enter a sender address, because the user name is not an email address",
        )


def _check_events(settings: Settings) -> None:
    """Raises SettingsError if events would be kept nowhere."""
    if settings.columnar == "clickhouse":
        _check_clickhouse(settings.clickhouse_url)
    if 0 < settings.clickhouse_keep_days < LEAST_KEPT_DAYS:
        raise SettingsError(f"clickhouse_keep_days must be 0 or at least {LEAST_KEPT_DAYS}")
    if settings.clickhouse_keep_days and settings.cluster_key_file and settings.role != "ingest":
        raise SettingsError(
            "With several machines, only ingest machines can use clickhouse_keep_days. The primary keeps its events"
        )


def _check_role(settings: Settings) -> None:
    """Raises SettingsError where what several machines need of each other is missing."""
    if settings.cluster_key_file and settings.columnar != "clickhouse":
        raise SettingsError("Several machines require ClickHouse: set columnar to clickhouse")
    if settings.role != "all" and not settings.cluster_key_file:
        raise SettingsError(f"role = {settings.role} requires cluster_key_file, the key that the machines share")
    if (settings.role == "ingest") != bool(settings.node):
        raise SettingsError("role = ingest requires node, a unique number from 1, and node requires role = ingest")
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
        raise SettingsError("clickhouse_url must not contain a password. Use clickhouse_password_file")
