"""Every refusal the box knows, as one tree; rendered in one place (http.render).

    BoxError                      500 INTERNAL_SERVER_ERROR
    ├─ BadRequest                 400 BAD_REQUEST
    │  ├─ BrokenBody              400 PARSE               the body is not JSON
    │  ├─ InvalidQuery            400 VALIDATION_ERROR    a well-formed query that asks for the impossible
    │  ├─ MissingTarget           400 MISSING_PROJECT_ID
    │  ├─ CompilationFailed       400 COMPILATION_ERROR
    │  ├─ MissingWebsite          400 MISSING_WEBSITE_ID  of an export
    │  ├─ InvalidDateRange        400 INVALID_DATE_RANGE  of an export
    │  ├─ InvalidFormat           400 INVALID_FORMAT      of an export
    │  └─ OverBudget              400 LIMIT_EXCEEDED      an answer that would be larger than it may be
    ├─ AuthRequired               401 AUTH_REQUIRED
    ├─ FeatureUnavailable         402 FEATURE_UNAVAILABLE
    ├─ Forbidden                  403 FORBIDDEN
    ├─ NotFound                   404 NOT_FOUND
    ├─ MethodNotAllowed           405 METHOD_NOT_ALLOWED
    ├─ RequestTimeout             408 REQUEST_TIMEOUT
    ├─ Conflict                   409 CONFLICT
    ├─ PayloadTooLarge            413 PAYLOAD_TOO_LARGE
    ├─ UnsupportedMediaType       415 UNSUPPORTED_MEDIA_TYPE
    ├─ Misdirected                421 MISDIRECTED_REQUEST the Host is not one of ours
    ├─ WrongTypes                 422 VALIDATION          JSON of another shape than the route takes
    ├─ RateLimited                429 RATE_LIMITED
    └─ Unavailable                503 SERVICE_UNAVAILABLE
       └─ InClickHouse            503 SERVICE_UNAVAILABLE of facts that are there only, while it is away

Codes and statuses: spec 7, wire 11.1 and wire 0.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

from msgspec import UNSET, Struct, UnsetType

from analytics_box.base.translation import _

ResourceType = Literal[
    "alarm",
    "annotation",
    "apiKey",
    "channel",
    "delivery",
    "domain",
    "errorGroup",
    "flag",
    "flagFolder",
    "flagSchedule",
    "flagVersion",
    "funnel",
    "goal",
    "import",
    "incident",
    "incidentTemplate",
    "incidentUpdate",
    "invitation",
    "link",
    "linkDomain",
    "linkFolder",
    "maintenance",
    "member",
    "organization",
    "profile",
    "question",
    "report",
    "revenueProvider",
    "schedule",
    "segment",
    "share",
    "sourceMap",
    "statusPage",
    "statusPageComponent",
    "statusPageGroup",
    "subscriber",
    "targetGroup",
    "website",
]
# Messages use these nouns for types whose name on the wire is another one.
_NOUNS: Mapping[ResourceType, str] = {
    "apiKey": "API key",
    "errorGroup": "error group",
    "flagSchedule": "schedule",
    "incidentTemplate": "template",
    "incidentUpdate": "update",
    "linkFolder": "folder",
    "schedule": "monitor",
    "revenueProvider": "payment provider",
    "sourceMap": "source map",
    "statusPage": "status page",
    "statusPageComponent": "component",
    "statusPageGroup": "group",
    "targetGroup": "target group",
}


class ErrorDetail(Struct, frozen=True):
    """An error of a request: its place, the reason, and a near miss if there is one."""

    field: str
    message: str
    suggestion: str | UnsetType = UNSET

    @property
    def whole(self) -> str:
        """The message, and the suggestion if there is one."""
        return self.message if self.suggestion is UNSET else f"{self.message}. {self.suggestion}"


class BoxError(Exception):
    """A refusal with a message for people, a machine code and an HTTP status.

    `reason` is the finer code of the ingest family (wire 0); `headers` are added to the answer.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL_SERVER_ERROR"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        details: tuple[ErrorDetail, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.details = details
        self.headers = dict(headers or {})

    def extra(self) -> dict[str, int]:
        """Further fields of the error body; only RateLimited has any."""
        return {}

    def data(self) -> dict[str, Any]:
        """The facts that programs decide by, in the body's `data` (wire 10.6)."""
        return {}


def forget_frames(raised: BaseException) -> None:
    """Drop the tracebacks of an exception and of everything that led to it.

    A traceback keeps each frame that the exception passed through, with its values: the body of a refused request, for
    example. A frame that refers to its own exception keeps both until the garbage collector runs, which is rare here.
    """
    waiting: list[BaseException | None] = [raised]
    while waiting:
        one = waiting.pop()
        if one is not None and one.__traceback__ is not None:
            one.__traceback__ = None
            waiting += (one.__cause__, one.__context__)
            waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else ()


class _OfFields(BoxError):
    """A refusal that can be about single fields of a request."""

    @classmethod
    def about(cls, field: str, message: str) -> Self:
        """A refusal that is about one field: the message is next to it."""
        return cls(message, details=(ErrorDetail(field, message),))


class BadRequest(_OfFields):
    status, code = 400, "BAD_REQUEST"


def check_together(*checks: Callable[[], object]) -> None:
    """Run all checks. Raises one BadRequest with the details of all that fail, so that a form shows them together."""
    refused: list[BadRequest] = []
    for check in checks:
        try:
            check()
        except BadRequest as wrong:
            refused.append(wrong)
    if len(refused) == 1:
        raise refused[0]
    if refused:
        details = tuple(detail for wrong in refused for detail in wrong.details)
        raise BadRequest("; ".join(wrong.message for wrong in refused), details=details)


class BrokenBody(BadRequest):
    code = "PARSE"


class InvalidQuery(BadRequest):
    code = "VALIDATION_ERROR"


class MissingTarget(BadRequest):
    code = "MISSING_PROJECT_ID"


class CompilationFailed(BadRequest):
    code = "COMPILATION_ERROR"


class MissingWebsite(BadRequest):
    code = "MISSING_WEBSITE_ID"


class InvalidDateRange(BadRequest):
    code = "INVALID_DATE_RANGE"


class InvalidFormat(BadRequest):
    code = "INVALID_FORMAT"


class OverBudget(BadRequest):
    """An answer, or what it takes to find it, is larger than it may be; rendered per parameter on the query API."""

    code = "LIMIT_EXCEEDED"


class AuthRequired(BoxError):
    """Its answer says how to authenticate (wire 11.1)."""

    status, code = 401, "AUTH_REQUIRED"

    def __init__(self, message: str, *, reason: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, reason=reason, headers={"WWW-Authenticate": "Bearer", **(headers or {})})


class FeatureUnavailable(BoxError):
    """The organization's plan lacks a feature; `data` names it and the first plan that has it."""

    status, code = 402, "FEATURE_UNAVAILABLE"

    def __init__(self, message: str, *, feature: str, required_plan: str) -> None:
        super().__init__(message)
        self._feature, self._required_plan = feature, required_plan

    def data(self) -> dict[str, Any]:
        return {"feature": self._feature, "requiredPlan": self._required_plan}


class Forbidden(BoxError):
    status, code = 403, "FORBIDDEN"


class NotFound(BoxError):
    """Nothing is at an address, or a resource does not exist for the caller: `of` names which one."""

    status, code = 404, "NOT_FOUND"
    _data: Mapping[str, Any] = {}

    @classmethod
    def of(cls, resource_type: ResourceType, resource_id: str | None, message: str | None = None) -> Self:
        """A missing resource. Its `data` tells programs which one is gone; a secret is no id that answers repeat."""
        noun = _NOUNS.get(resource_type, resource_type)
        missing = cls(message or _("There is no {noun} with this id").format(noun=noun))
        named = {} if resource_id is None else {"resourceId": resource_id}
        missing._data = {"resourceType": resource_type, **named}
        return missing

    def data(self) -> dict[str, Any]:
        return dict(self._data)


class MethodNotAllowed(BoxError):
    status, code = 405, "METHOD_NOT_ALLOWED"


class RequestTimeout(BoxError):
    status, code = 408, "REQUEST_TIMEOUT"


class Conflict(_OfFields):
    status, code = 409, "CONFLICT"
    _data: Mapping[str, Any] = {}

    @classmethod
    def full(cls, feature: str, limit: int, message: str) -> Self:
        """A limit that is reached. Its `data` tells programs so, unlike that of something that exists already.

        The names are those of the wire's PLAN_LIMIT_EXCEEDED; here the limits are the same on every plan.
        """
        reached = cls(message)
        reached._data = {"feature": feature, "limit": limit, "current": limit}
        return reached

    def data(self) -> dict[str, Any]:
        return dict(self._data)


class PayloadTooLarge(BoxError):
    status, code = 413, "PAYLOAD_TOO_LARGE"


class UnsupportedMediaType(BoxError):
    status, code = 415, "UNSUPPORTED_MEDIA_TYPE"


class MisdirectedRequest(BoxError):
    status, code = 421, "MISDIRECTED_REQUEST"


class WrongTypes(BoxError):
    status, code = 422, "VALIDATION"


class RateLimited(BoxError):
    """Spec 7: the body names limit, remaining, reset (Unix ms) and retryAfter (seconds); so do the headers."""

    status, code = 429, "RATE_LIMITED"

    def __init__(self, message: str, *, limit: int, reset: int, retry_after: int, reason: str | None = None) -> None:
        super().__init__(
            message,
            reason=reason,
            headers={
                "Retry-After": str(retry_after),
                "X-RateLimit-Limit": str(limit),
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": str(reset),
            },
        )
        self.limit, self.reset, self.retry_after = limit, reset, retry_after

    def extra(self) -> dict[str, int]:
        return {"limit": self.limit, "remaining": 0, "reset": self.reset, "retryAfter": self.retry_after}


class Unavailable(BoxError):
    """Something is overloaded or the disk refuses; the same request may work in a moment."""

    status, code = 503, "SERVICE_UNAVAILABLE"

    def __init__(self, message: str, *, retry_after: int = 5, reason: str | None = None) -> None:
        super().__init__(message, reason=reason, headers={"Retry-After": str(retry_after)})
        self._retry_after = retry_after

    def data(self) -> dict[str, Any]:
        return {"retryAfter": self._retry_after}


class DeadlineExceeded(Unavailable):
    """A read took longer than its deadline; rendered per parameter on the query API."""

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The refusal of a read that was stopped after this time."""
        return cls(_("The query took longer than {seconds:g} seconds. Use a shorter range").format(seconds=seconds))


class InClickHouse(Unavailable):
    """Facts are in ClickHouse only, and it cannot be asked now; rendered per parameter on the query API."""
