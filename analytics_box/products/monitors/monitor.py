"""A monitor and its settings: the one list of its fields. Pure.

The table `monitors` has a column for each field of Monitor but its tags. A plain new field is a line in Monitor, a line
in MonitorFields (monitors.editing) and a column; a setting of only one kind of monitor is a field of Options, which is
stored
as JSON and takes no column.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.outgoing.masking import HIDDEN, mask_query

Kind = Literal["http", "tcp", "dns", "tls", "ping", "push"]
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
RecordType = Literal["A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "SRV", "CAA"]
Granularity = Literal[
    "minute", "five_minutes", "ten_minutes", "thirty_minutes", "hour", "six_hours", "twelve_hours", "day"
]

SECONDS: Final[dict[Granularity, int]] = {  # between two checks (wire 8.3)
    "minute": 60,
    "five_minutes": 300,
    "ten_minutes": 600,
    "thirty_minutes": 1_800,
    "hour": 3_600,
    "six_hours": 21_600,
    "twelve_hours": 43_200,
    "day": 86_400,
}
GRANULARITIES: Final[dict[int, Granularity]] = {seconds: name for name, seconds in SECONDS.items()}
HOME: Final = "/monitors"  # the page of all monitors
DEFAULT_TIMEOUT: Final = 60_000  # ms (wire 8.4)
MOST_TAGS, LONGEST_TAG, LONGEST_GROUP, MOST_ASSERTIONS, MOST_HEADERS = 20, 50, 80, 20, 20

Subject = Literal[
    "status",  # of the answer: `in` a list such as 200-299,404
    "response_time",  # ms
    "body",  # text of it
    "json",  # what `property`, a JSON pointer, leads to
    "header",  # of the name in `property`
    "certificate_days",  # until it ends
    "record",  # of a DNS answer, any of them
    "banner",  # what a TCP server says first
]
Comparison = Literal[
    "equals",
    "not_equals",
    "contains",
    "not_contains",
    "matches",
    "less_than",
    "greater_than",
    "in",
    "exists",
    "not_exists",
]
Level = Literal["fail", "warn"]


class Assertion(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on the answer. If it does not hold, the check fails, or at level `warn` the monitor is degraded."""

    subject: Subject
    comparison: Comparison
    value: Annotated[str, Meta(max_length=500)] = ""
    property: Annotated[str, Meta(max_length=200)] = ""
    level: Level = "fail"


class JsonParsing(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether values of a JSON answer are kept: those that are found by themselves, or the named ones (wire 8.1)."""

    enabled: bool = False
    mode: Literal["auto", "manual"] = "auto"
    fields: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=20)] = ()


class Options(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Settings of a check beyond the defaults of its kind. Fields of other kinds keep their defaults.

    Without an assertion about the status an http answer below 500 passes (wire 8.4). `record` and `server` are of dns;
    `send` is the text that a tcp check sends once connected; `grace` is the grace period of a push monitor in seconds.
    """

    method: Method = "GET"
    redirects: Annotated[int, Meta(ge=0, le=10)] = 10
    verify: bool = True
    assertions: Annotated[tuple[Assertion, ...], Meta(max_length=MOST_ASSERTIONS)] = ()
    json_parsing: JsonParsing = JsonParsing()
    record: RecordType = "A"
    server: Annotated[str, Meta(max_length=100)] = ""
    send: Annotated[str, Meta(max_length=500)] = ""
    grace: Annotated[int, Meta(ge=0, le=604_800)] = 0


class MonitorSecrets(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Values that a check sends and that may be secret: stored only encrypted, never shown. `token` identifies a push
    monitor.
    """

    headers: Annotated[
        tuple[tuple[Annotated[str, Meta(max_length=100)], Annotated[str, Meta(max_length=2_000)]], ...],
        Meta(max_length=MOST_HEADERS),
    ] = ()
    body: Annotated[str, Meta(max_length=10_000)] = ""
    user: Annotated[str, Meta(max_length=200)] = ""
    password: Annotated[str, Meta(max_length=500)] = ""
    bearer: Annotated[str, Meta(max_length=2_000)] = ""
    token: Annotated[str, Meta(max_length=64)] = ""

    def __repr__(self) -> str:
        return "Secrets(…)"  # so that none stands in a log


class Monitor(Struct, frozen=True, kw_only=True):
    """A monitor. `number` is what the facts know it by. Times are UTC ms, `interval` is seconds, `timeout` ms.

    `url` is what is asked, with the kind as its scheme unless it is http: tcp://host:port, dns://name, tls://host:port,
    ping://host; push:// for one that waits to be told. `secrets` are sealed.
    """

    number: int
    id: str
    organization_id: str
    website_id: str | None = None
    kind: Kind = "http"
    url: str
    name: str | None = None
    interval: int = 300
    timeout: int | None = None
    cache_bust: bool = False
    is_paused: bool = False
    options: Options = Options()
    secrets: MonitorSecrets = MonitorSecrets()
    failures_to_down: int = 2
    successes_to_up: int = 1
    parent_id: str | None = None
    group: str = ""
    tags: tuple[str, ...] = ()
    created_at: int = 0
    updated_at: int = 0

    @property
    def called(self) -> str:
        """The name that people see. Others read it, so no part of a URL in it is likely a secret."""
        return self.name or mask_query(self.url)

    @property
    def masked(self) -> "Monitor":
        """The monitor for people who can only view it: without likely secrets in its URL, and without what it sends."""
        url = mask_query(self.url)
        if url == self.url and not self.options.send:
            return self
        options = replace(self.options, send=HIDDEN) if self.options.send else self.options
        return replace(self, url=url, options=options)

    @property
    def seconds(self) -> float:
        """The timeout of a check in seconds: never longer than the interval."""
        return min((self.timeout or DEFAULT_TIMEOUT) / 1000, self.interval)
