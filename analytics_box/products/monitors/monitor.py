"""A monitor and its settings, each field declared once. Pure.

A plain new field is a line in MonitorSettings, an input in the form's template and a column; a setting of only one kind
of monitor is a field of Options, which is stored as JSON and takes no column.
"""

import unicodedata
from collections.abc import Iterable
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.masking import HIDDEN, mask_query
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Stamp

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

Id = Annotated[str, Meta(min_length=1, max_length=255)]

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
    json_parsing: Annotated[JsonParsing, Field(name="jsonParsingConfig", null=True, empty=JsonParsing())] = (
        JsonParsing()
    )
    record: RecordType = "A"
    server: Annotated[str, Meta(max_length=100)] = ""
    send: Annotated[str, Meta(max_length=500)] = ""
    grace: Annotated[int, Meta(ge=0, le=604_800)] = 0


def clean_words(given: str) -> str:
    """Text without spaces around it. Raises BadRequest."""
    text = given.strip()
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in "\u200c\u200d" for letter in text):
        raise BadRequest(_("The text contains control or text-direction characters"))
    return text


def clean_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Tags in their order, each once. Raises BadRequest."""
    return tuple(sorted({text for tag in given if (text := clean_words(tag))}))


def _without_text(options: Options) -> object:
    return msgspec.to_builtins(replace(options, send=HIDDEN) if options.send else options)


Url = Annotated[
    str, Meta(max_length=2_048), Field(clean_in=lambda url, policy: policy.clean_url(url), audited=mask_query)
]
Name = Annotated[str, Meta(max_length=255), Field(clean=lambda text: clean_words(text) or None)]
Interval = Annotated[  # in seconds
    int,
    Field(
        name="granularity",
        wire=Granularity,
        clean=SECONDS.__getitem__,
        shown=GRANULARITIES.__getitem__,
        audited=GRANULARITIES.__getitem__,
    ),
]
GivenOptions = Annotated[
    Options,
    Field(
        null=True,
        empty=Options(),
        clean_in=lambda options, policy: policy.clean_options(options),
        audited=_without_text,
    ),
]
Times = Annotated[int, Meta(ge=1, le=10), Field()]
Group = Annotated[str, Meta(max_length=LONGEST_GROUP)]
Tags = Annotated[tuple[Annotated[str, Meta(max_length=LONGEST_TAG)], ...], Meta(max_length=MOST_TAGS)]


class MonitorSettings(Struct, frozen=True, kw_only=True, rename="camel"):
    """A monitor without the secrets that its checks send. `number` identifies it in the facts. Times are UTC ms,
    `interval` is in seconds, `timeout` in ms.

    `url` is the target, with the kind as its scheme unless it is http: tcp://host:port, dns://name, tls://host:port,
    ping://host; push:// for a heartbeat.
    """

    number: int
    id: str
    organization_id: str
    website_id: Annotated[Id, Field()] | None = None
    kind: Kind = "http"
    url: Url
    name: Name | None = None
    interval: Interval = 300
    timeout: Annotated[int, Meta(ge=1_000, le=120_000), Field()] | None = None
    cache_bust: Annotated[bool, Field()] = False
    is_paused: bool = False
    options: GivenOptions = Options()
    failures_to_down: Times = 2
    successes_to_up: Times = 1
    parent_id: Annotated[Id, Field()] | None = None
    group: Annotated[Group, Field(clean=clean_words, null=True, empty="")] = ""
    tags: Annotated[Tags, Field(clean=clean_tags, null=True, empty=())] = ()
    created_at: Stamp = 0
    updated_at: Stamp = 0


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
        return "Secrets(…)"  # Logs must not show them.


class Monitor(MonitorSettings, frozen=True, kw_only=True, rename="camel"):
    """A monitor with its secrets."""

    secrets: MonitorSecrets = MonitorSecrets()

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


class MonitorOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class MonitorId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor."""

    scheduleId: Id
