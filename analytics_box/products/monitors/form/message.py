"""Conversion of the monitor form to API input that creates, updates or tries a monitor. Pure."""

from typing import Any, Final

from analytics_box.base.translation import _
from analytics_box.products.monitors.editing.messages import CreateMonitor, TryMonitor, UpdateMonitor
from analytics_box.products.monitors.form.fields import AssertionFields, MonitorFormState
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.resource import forms
from analytics_box.resource.forms import inputs_of
from analytics_box.tenants.tenancy.messages import message_of

_FIELDS: Final = {  # what a refusal names, as the form calls it
    "options.server": "server",
    "options.redirects": "redirects",
    "options.send": "send",
    "options.grace": "grace",
    "options.method": "method",
    "jsonParsingConfig": "jsonFields",
    "basicAuth.password": "password",
    "basicAuth": "user",
    "bearerToken": "bearer",
}


def creation_input(state: MonitorFormState) -> CreateMonitor:
    """The message that makes a monitor. Raises BadRequest, which names fields as procedures do."""
    return message_of(_fields(state) | {"kind": state.kind, "allowDuplicateUrl": True}, CreateMonitor)


def update_input(state: MonitorFormState, monitor_id: str) -> UpdateMonitor:
    """The message that changes a monitor to what the form says. Raises BadRequest."""
    return message_of(_fields(state) | {"scheduleId": monitor_id, "allowDuplicateUrl": True}, UpdateMonitor)


def trial_input(state: MonitorFormState, monitor_id: str | None) -> TryMonitor:
    """The message that tries what the form says, with what is stored of a monitor that there is. Raises BadRequest."""
    found = _fields(state) | ({"kind": state.kind} if monitor_id is None else {"scheduleId": monitor_id})
    return message_of(found, TryMonitor)


def form_field(wire: str) -> str:
    """The field of the form for a field of the API, such as assertions.1.value for options.assertions[1].value."""
    name = wire.replace("[", ".").replace("]", "")
    if name.startswith("options.assertions"):
        return name.removeprefix("options.")
    known = next((shown for wire_name, shown in _FIELDS.items() if name.startswith(wire_name)), None)
    return known or name


def _fields(state: MonitorFormState) -> dict[str, Any]:
    given = {name: value.strip() for name, value in state.fields.items() if name not in {"password", "body", "send"}}
    wrong: dict[str, str] = {}
    plain = {name: given.get(name, "") for name in inputs_of(Monitor) if name not in {"url", "timeout"}}
    found = forms.read(plain, Monitor, "UTC", None, wrong) | {
        "url": _url(state, given, wrong),
        "timeout": _timeout(given, wrong),
        "options": _options(state, given, wrong),
    }
    if state.kind == "http":
        found |= _secret_fields(state, given, wrong)
    forms.refuse(wrong)
    return found


def _url(state: MonitorFormState, given: dict[str, str], wrong: dict[str, str]) -> str:
    if state.kind == "push":
        return "push://"
    typed = given.get("url", "")
    if not typed:
        wrong["url"] = _("Enter a URL or host")
    if state.kind == "http" or not typed:
        return typed
    scheme, sign, rest = typed.partition("://")
    host, port = _host_and_port(rest if sign and scheme.lower() == state.kind else typed)
    if state.kind not in {"tcp", "tls"}:
        return f"{state.kind}://{host}" + (f":{port}" if port else "")
    port = port or ("443" if state.kind == "tls" else "")
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) <= 65_535):
        wrong["url"] = _("Enter a host and a port from 1 to 65535, such as db.example.com:5432")
    return f"{state.kind}://{host}:{port}"


def _host_and_port(typed: str) -> tuple[str, str]:
    """A typed host, IPv6 addresses in brackets, and its port; empty if there is none."""
    if typed.count(":") > 1 and not typed.startswith("["):
        return f"[{typed}]", ""
    host, sign, port = typed.rpartition(":")
    return (host, port) if sign and not port.endswith("]") else (typed, "")


def _timeout(given: dict[str, str], wrong: dict[str, str]) -> int | None:
    text = given.get("timeout", "").replace(",", ".")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 1 <= seconds <= 120:
        wrong["timeout"] = _("Enter 1 to 120 seconds")
        return None
    return round(seconds * 1000)


def _number(given: dict[str, str], name: str, wrong: dict[str, str], usual: str = "") -> int:
    text = given.get(name) or usual
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        wrong[name] = _("Enter a whole number")
        return 0
    return int(text)


def _options(state: MonitorFormState, given: dict[str, str], wrong: dict[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {"assertions": [_assertion(one) for one in state.assertions]}
    match state.kind:
        case "http":
            options |= {"method": given.get("method", ""), "redirects": _number(given, "redirects", wrong, "10")}
            options |= {"verify": bool(given.get("verify")), "jsonParsing": _parsing(given)}
        case "tls":
            options["verify"] = bool(given.get("verify"))
        case "tcp":
            options["send"] = _unescape(state.fields.get("send", ""))
        case "dns":
            options |= {"record": given.get("record", "A"), "server": given.get("server", "")}
        case "push":
            options = {"grace": _number(given, "grace", wrong, "0")}
    return options


def _parsing(given: dict[str, str]) -> dict[str, Any]:
    mode = given.get("json", "off")
    if mode == "off":
        return {}
    fields = [line.strip() for line in given.get("jsonFields", "").splitlines() if line.strip()]
    return {"enabled": True, "mode": mode, "fields": fields if mode == "manual" else []}


def _assertion(one: AssertionFields) -> dict[str, str]:
    value = one.value if one.comparison not in {"exists", "not_exists"} else ""
    return {
        "subject": one.subject,
        "comparison": one.comparison,
        "value": value,
        "property": one.property.strip(),
        "level": one.level,
    }


def _secret_fields(state: MonitorFormState, given: dict[str, str], wrong: dict[str, str]) -> dict[str, Any]:
    """The secret fields of a request. An empty field keeps the stored value, unless it is marked for removal."""
    found: dict[str, Any] = {}
    if given.get("headers"):
        found["headers"] = _headers(given["headers"], wrong)
    elif given.get("forget.headers"):
        found["headers"] = None
    if state.fields.get("body"):
        found["body"] = state.fields["body"]
    elif given.get("forget.body"):
        found["body"] = None
    if given.get("user"):
        found["basicAuth"] = {"user": given["user"], "password": state.fields.get("password") or None}
    if given.get("bearer"):
        found["bearerToken"] = given["bearer"]
    if given.get("forget.auth"):
        found |= {"basicAuth": None, "bearerToken": None}
    return found


def _headers(text: str, wrong: dict[str, str]) -> dict[str, str]:
    found = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if line.strip() and (not colon or not name.strip()):
            wrong["headers"] = _("Enter one header per line, as Name: value")
        elif line.strip():
            found[name.strip()] = value.strip()
    return found


def _unescape(text: str) -> str:
    r"""The text with line breaks in place of a typed \r and \n."""
    marks = {"\\r": "\r", "\\n": "\n", "\\t": "\t", "\\\\": "\\"}
    made, place = [], 0
    while place < len(text):
        pair = text[place : place + 2]
        made.append(marks.get(pair, text[place]))
        place += 2 if pair in marks else 1
    return "".join(made)
