"""The fields of the monitor form: read from a post, filled in from a monitor, and changed by its buttons. Pure.

Assertions are numbered: `assertions.0.subject`, `assertions.0.value`. Secrets are never filled in.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.products.monitors.monitor import MOST_ASSERTIONS, Assertion, Kind, Monitor
from analytics_box.resource.forms import fill, inputs_of

KINDS: Final[tuple[Kind, ...]] = ("http", "tcp", "dns", "tls", "ping", "push")
# All inputs but those of assertions: the fields of a monitor, then those of its options and secrets.
PLAIN: Final = (
    *inputs_of(Monitor),
    *("record", "server", "send", "grace", "method", "redirects", "json", "jsonFields", "verify"),
    *("headers", "body", "user", "password", "bearer", "forget.headers", "forget.body", "forget.auth"),
)
_NEW: Final = fill(Monitor(number=0, id="", organization_id="", url=""), "UTC") | {
    "method": "GET",
    "redirects": "10",
    "record": "A",
    "verify": "on",
    "json": "off",
    "grace": "60",
}


# A host and a port without a path, which is not one of a website.
_HOST_AND_PORT: Final = re.compile(r"(\[[^\]]+\]|[^\s/:?#@]+):(?!(?:80|443)$)\d{1,5}")
_ADVANCED: Final = {"timeout": "", "server": "", "send": "", "parentId": "", "group": "", "tags": "", "websiteId": ""}


class AssertionFields(Struct, frozen=True):
    """A condition as it is typed."""

    subject: str = "status"
    property: str = ""
    comparison: str = "in"
    value: str = "200-299"
    level: str = "fail"


class MonitorFormState(Struct, frozen=True):
    """The whole form. `detected` is whether the kind follows from the URL; `focus` is the field to focus."""

    kind: Kind
    fields: Mapping[str, str]
    assertions: tuple[AssertionFields, ...] = ()
    focus: str = ""
    detected: bool = False

    @property
    def differences(self) -> tuple[str, ...]:
        """The names of advanced fields that differ from their defaults."""
        usual = {**_ADVANCED, **{name: _NEW[name] for name in ("failuresToDown", "successesToUp")}}
        if self.kind == "http":
            usual |= {"method": "GET", "redirects": "10", "json": "off"}
            usual |= dict.fromkeys(("headers", "body", "user", "bearer", "cacheBust"), "")
        return tuple(name for name, value in usual.items() if self.fields.get(name, value) not in {"", value})


def new_state(given: Mapping[str, str]) -> MonitorFormState:
    """The form of a new monitor, with what an address fills in."""
    fields = {**_NEW, **{name: value for name, value in given.items() if name in PLAIN and value}}
    return MonitorFormState(_kind(given), fields, detected=given.get("kind") not in KINDS)


def read_state(form: Mapping[str, str], kind: Kind | None = None) -> MonitorFormState:
    """The form as it was posted; of a monitor that there is, the kind is given."""
    assertions = []
    for number in range(MOST_ASSERTIONS):
        start = f"assertions.{number}"
        if f"{start}.subject" not in form:
            break
        assertions.append(
            AssertionFields(**{name: form.get(f"{start}.{name}", "") for name in AssertionFields.__struct_fields__})
        )
    return MonitorFormState(
        kind or _kind(form),
        {name: form[name] for name in PLAIN if name in form},
        tuple(assertions),
        detected=kind is None and form.get("kind") not in KINDS,
    )


def state_of(monitor: Monitor) -> MonitorFormState:
    """The form filled in with what a monitor is."""
    options, parsing = monitor.options, monitor.options.json_parsing
    fields = fill(monitor, "UTC") | {
        "url": _target(monitor),
        "record": options.record,
        "server": options.server,
        "send": options.send.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n"),
        "grace": str(options.grace),
        "timeout": f"{monitor.timeout / 1000:g}" if monitor.timeout is not None else "",
        "method": options.method,
        "redirects": str(options.redirects),
        "verify": "on" if options.verify else "",
        "json": parsing.mode if parsing.enabled else "off",
        "jsonFields": "\n".join(parsing.fields),
    }
    return MonitorFormState(monitor.kind, fields, tuple(map(_assertion, options.assertions)))


def after_button(state: MonitorFormState, do: str) -> MonitorFormState:
    """The form after one of its buttons: add-assertion, remove-assertion.N."""
    verb, _, place = do.partition(".")
    if verb == "add-assertion" and len(state.assertions) < MOST_ASSERTIONS:
        focus = f"assertions.{len(state.assertions)}.subject"
        return replace(state, assertions=(*state.assertions, _usual(state.kind)), focus=focus)
    if verb == "remove-assertion" and place.isdecimal() and int(place) < len(state.assertions):
        left = tuple(one for number, one in enumerate(state.assertions) if number != int(place))
        return replace(state, assertions=left, focus="add-assertion")
    return state


def _kind(given: Mapping[str, str]) -> Kind:
    """The chosen kind, else the kind of what is typed: its scheme, tcp for a host and a port, else http."""
    typed = given.get("url", "").strip()
    wanted = given.get("kind") or typed.partition("://")[0].lower()
    found = next((kind for kind in KINDS if kind == wanted), None)
    return found or ("tcp" if _HOST_AND_PORT.fullmatch(typed) else KINDS[0])


def _target(monitor: Monitor) -> str:
    """The target of a monitor as the form shows it: a URL, or a host with a port if it has one."""
    match monitor.kind:
        case "http":
            return monitor.url
        case "push":
            return ""
    return monitor.url.partition("://")[2]


def _usual(kind: Kind) -> AssertionFields:
    """The condition that people most often want of a kind."""
    match kind:
        case "http":
            return AssertionFields()
        case "dns":
            return AssertionFields("record", "", "equals", "")
        case "tls":
            return AssertionFields("certificate_days", "", "greater_than", "14", "warn")
        case "tcp":
            return AssertionFields("banner", "", "contains", "")
        case _:
            return AssertionFields("response_time", "", "less_than", "1000", "warn")


def _assertion(one: Assertion) -> AssertionFields:
    return AssertionFields(one.subject, one.property, one.comparison, one.value, one.level)
