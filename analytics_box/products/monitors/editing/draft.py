"""A monitor as it would be with what someone says of it: every field in its one spelling, or a refusal that names all
that is wrong. Pure but for the fence, which knows this machine's IP addresses."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import target
from analytics_box.base.translation import _
from analytics_box.products.monitors.editing import places
from analytics_box.products.monitors.editing.messages import BasicAuth, MonitorInput
from analytics_box.products.monitors.monitor import (
    Assertion,
    Comparison,
    Kind,
    Monitor,
    MonitorSecrets,
    Options,
    Subject,
)
from analytics_box.query.patterns import NotAPattern, compile_pattern
from analytics_box.resource.fields import values_of

T = TypeVar("T")

SUBJECTS: Final[dict[Kind, tuple[Subject, ...]]] = {
    "http": ("status", "body", "json", "header", "certificate_days", "response_time"),
    "tcp": ("banner", "response_time"),
    "dns": ("record", "response_time"),
    "tls": ("certificate_days", "response_time"),
    "ping": ("response_time",),
    "push": (),
}
_NUMBERS: Final[tuple[Comparison, ...]] = ("equals", "not_equals", "less_than", "greater_than")
_TEXTS: Final[tuple[Comparison, ...]] = ("equals", "not_equals", "contains", "not_contains", "matches")
COMPARISONS: Final[dict[Subject, tuple[Comparison, ...]]] = {
    "status": (*_NUMBERS, "in"),
    "response_time": ("less_than", "greater_than"),
    "certificate_days": ("less_than", "greater_than"),
    "body": _TEXTS,
    "json": (*_TEXTS, "less_than", "greater_than", "exists", "not_exists"),
    "header": (*_TEXTS, "exists", "not_exists"),
    "record": (*_TEXTS, "exists", "not_exists"),
    "banner": _TEXTS,
}
_OF_NUMBERS: Final = frozenset(("status", "response_time", "certificate_days"))
_STATUSES = re.compile(r"\s*[1-9][0-9]{2}(\s*-\s*[1-9][0-9]{2})?(\s*,\s*[1-9][0-9]{2}(\s*-\s*[1-9][0-9]{2})?)*\s*\Z")


def check_assertion(kind: Kind, given: Assertion, where: str) -> None:
    """Raises BadRequest for one that no answer of this kind could be asked about."""
    if given.subject not in SUBJECTS[kind]:
        known = ", ".join(SUBJECTS[kind]) or "nothing"
        raise BadRequest.about(
            f"{where}.subject", _("Use one of the subjects of a {kind} check: {known}").format(kind=kind, known=known)
        )
    if given.comparison not in COMPARISONS[given.subject]:
        known = ", ".join(COMPARISONS[given.subject])
        raise BadRequest.about(
            f"{where}.comparison", _("Use one of the comparisons for this subject: {known}").format(known=known)
        )
    _check_property(given, where)
    _check_value(given, where)


def _check_property(given: Assertion, where: str) -> None:
    if given.subject == "json":
        if given.property and not given.property.startswith("/"):
            raise BadRequest.about(f"{where}.property", _("Enter a JSON pointer, such as /status or /checks/0/state"))
    elif given.subject == "header":
        if not given.property:
            raise BadRequest.about(f"{where}.property", _("Enter a header name"))
    elif given.property:
        raise BadRequest.about(f"{where}.property", _("Only json and header assertions can have a property"))


def _check_value(given: Assertion, where: str) -> None:
    value = given.value.strip()
    if given.comparison in {"exists", "not_exists"}:
        return
    if given.comparison == "in":
        if not _STATUSES.match(value):
            raise BadRequest.about(f"{where}.value", _("Enter statuses such as 200-299,404"))
    elif given.comparison in {"less_than", "greater_than"} or given.subject in _OF_NUMBERS:
        if not _is_number(value):
            raise BadRequest.about(f"{where}.value", _("Enter a number"))
    elif given.comparison == "matches":
        try:
            compile_pattern(given.value)
        except NotAPattern as wrong:
            raise BadRequest.about(
                f"{where}.value", _("Enter a valid regular expression: {wrong}").format(wrong=wrong)
            ) from wrong
    elif not value and given.comparison in {"contains", "not_contains"}:
        raise BadRequest.about(f"{where}.value", _("Enter a text"))


def _is_number(text: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return abs(number) < 1e15  # which NaN is not


_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_OF_THE_BOX: Final = frozenset(  # headers that a check sets itself
    ("connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
_AGAIN: Final = "Enter {what} again: what is stored {where}"
_ELSEWHERE: Final = "would go to another server"
_TO_ANYBODY: Final = "could go to anybody if certificates are not checked"
_WITHOUT_BODY: Final = frozenset(("GET", "HEAD"))


class DraftPolicy(Struct, frozen=True):
    """The targets of a monitor within the networks that it can reach."""

    monitor: Monitor
    fence: Fence

    def clean_url(self, given: str) -> str:
        """The URL in its one spelling. Raises BadRequest."""
        kind = self.monitor.kind
        if places.kind_of(given, kind) != kind:  # It raises before the kinds can differ.
            raise BadRequest.about("url", _("The kind of a monitor cannot be changed. Create another monitor"))
        return places.clean_url(kind, given, self.fence, monitor_id=self.monitor.id)

    def clean_options(self, given: Options) -> Options:
        """The options, if they suit the kind. Raises BadRequest."""
        for number, assertion in enumerate(given.assertions):
            check_assertion(self.monitor.kind, assertion, f"options.assertions[{number}]")
        return replace(given, server=places.clean_server(given.server, self.fence))


def apply_fields(before: Monitor, given: MonitorInput, fence: Fence) -> Monitor:
    """The monitor with the new values; omitted fields keep theirs. Raises BadRequest that names all that is wrong.

    A secret is sent to another server only if it is entered again: otherwise anyone who can change the
    monitor could have it sent to a server of theirs. The caller checks the website and the parent.
    """
    wrong: list[ErrorDetail] = []

    def clean(read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except BadRequest as refused:
            wrong.extend(refused.details)
            return otherwise

    found: dict[str, Any] = clean(lambda: values_of(given, Monitor, DraftPolicy(before, fence)), {})
    parsing = values_of(given, Options)
    if parsing:
        found["options"] = replace(found.get("options", before.options), **parsing)
    after = replace(before, **found, secrets=clean(lambda: _secrets(before.secrets, given), before.secrets))
    wrong.extend(_of_the_whole(after, fence))
    if where := leaves(before, after):
        wrong.extend(
            ErrorDetail(field, _AGAIN.format(what=what, where=where))
            for field, what in _not_given(before.secrets, given)
        )
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    return after


def leaves(before: Monitor, after: Monitor) -> str:
    """The reason why secrets meant for one server might reach another one; empty if they do not."""
    if before.kind != "http" or not before.url:
        return ""
    if target(before.url).origin != target(after.url).origin:
        return _ELSEWHERE
    return _TO_ANYBODY if before.options.verify and not after.options.verify else ""


def _secrets(before: MonitorSecrets, given: MonitorInput) -> MonitorSecrets:
    after = before
    if not isinstance(given.headers, UnsetType):
        after = replace(after, headers=_headers(before, given.headers or {}))
    if not isinstance(given.body, UnsetType):
        after = replace(after, body=given.body or "")
    if isinstance(given.basic_auth, BasicAuth):
        password = given.basic_auth.password
        kept = before.password if password is None else password
        after = replace(after, user=given.basic_auth.user, password=kept, bearer="")
    elif given.basic_auth is None:
        after = replace(after, user="", password="")
    if isinstance(given.bearer_token, str):
        if isinstance(given.basic_auth, BasicAuth):
            raise BadRequest.about("bearerToken", _("Enter a user and password, or a token, not both"))
        if not given.bearer_token.isascii() or not given.bearer_token.isprintable():
            raise BadRequest.about("bearerToken", _("Enter a token of ASCII characters without surrounding spaces"))
        after = replace(after, bearer=given.bearer_token.strip(), user="", password="")
    elif given.bearer_token is None:
        after = replace(after, bearer="")
    return after


def _not_given(before: MonitorSecrets, given: MonitorInput) -> Iterable[tuple[str, str]]:
    """Stored secrets that would be sent on, although the caller has not entered them again."""
    headers, basic, bearer = given.headers, given.basic_auth, given.bearer_token
    if before.headers and (isinstance(headers, UnsetType) or (headers and None in headers.values())):
        yield "headers", "the headers"
    if before.body and isinstance(given.body, UnsetType):
        yield "body", "the body"
    if before.password and not isinstance(bearer, str):
        if isinstance(basic, UnsetType):
            yield "basicAuth", "user and password"
        elif basic is not None and basic.password is None:
            yield "basicAuth.password", "the password"
    if before.bearer and isinstance(bearer, UnsetType) and not isinstance(basic, BasicAuth):
        yield "bearerToken", "the token"


def _headers(before: MonitorSecrets, given: dict[str, str | None]) -> tuple[tuple[str, str], ...]:
    known = {name.lower(): value for name, value in before.headers}
    found: dict[str, tuple[str, str]] = {}
    for name, value in given.items():
        where = f"headers.{name[:40]}"
        if not _TOKEN.match(name) or name.lower() in _OF_THE_BOX:
            raise BadRequest.about(where, _("This header cannot be sent"))
        if name.lower() in found:
            raise BadRequest.about(where, _("Enter this header only once"))
        if value is None and name.lower() not in known:
            raise BadRequest.about(where, _("Enter a value for this header"))
        text = known[name.lower()] if value is None else value.strip()
        if any(unicodedata.category(letter) == "Cc" and letter != "\t" for letter in text) or not _is_latin(text):
            raise BadRequest.about(where, _("The value contains invalid characters"))
        found[name.lower()] = (name, text)
    return tuple(found.values())


def _is_latin(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeError:
        return False
    return True


def _of_the_whole(after: Monitor, fence: Fence) -> Iterable[ErrorDetail]:
    """Errors of fields that do not match each other."""
    secrets, is_http = after.secrets, after.kind == "http"
    if secrets.body and is_http and after.options.method in _WITHOUT_BODY:
        yield ErrorDetail(
            "body", _("A {method} request has no body. Choose another method").format(method=after.options.method)
        )
    if not is_http and (secrets.headers or secrets.body or secrets.user or secrets.bearer):
        yield ErrorDetail("headers", _("Only HTTP checks can have headers, a body, a user or a token"))
    if after.kind == "dns" and after.url and not after.options.server:
        try:
            fence.check_name(after.url.removeprefix("dns://"))
        except AddressRefused as refused:
            yield ErrorDetail("url", str(refused))
    if after.parent_id == after.id:
        yield ErrorDetail("parentId", _("A monitor cannot be its own parent"))
