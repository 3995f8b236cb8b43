"""Refusals on the wire: the one place where an error becomes a body (spec 7, wire 4.8 and 11.1)."""

import logging
from typing import Any

import msgspec

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

RETRYABLE = {408, 425, 429}  # and everything from 500 on


def as_box_error(raised: BaseException) -> BoxError:
    """Any exception as one of ours, without the frames it came through, for they hold the request's body.

    Unknown exceptions are logged here; the refusal says nothing of their cause.
    """
    error = _as_box_error(raised)
    errors.forget_frames(raised)
    return error


def _as_box_error(raised: BaseException) -> BoxError:
    if isinstance(raised, BoxError):
        return raised
    log.error("A request failed", exc_info=raised)
    return BoxError(_("Internal error. See the server's log"))


def api_body(error: BoxError, request_id: str) -> bytes:
    """The error body of the API: success, error, code, requestId and what the error adds."""
    body: dict[str, Any] = {
        "success": False,
        "error": error.message,
        "code": error.code,
        "requestId": request_id,
        **error.extra(),
    }
    if error.reason:
        body["reason"] = error.reason
    if error.details:
        body["details"] = error.details
    if data := error.data():
        body["data"] = data
    return msgspec.json.encode(body)


def ingest_body(error: BoxError, request_id: str) -> bytes:
    """The error body of the ingest family: the API's, plus status, message, retryable and errors."""
    body: dict[str, Any] = {
        "success": False,
        "status": "error",
        "error": error.message,
        "message": error.message,
        "code": _ingest_code(error),
        "reason": error.reason or error.code,
        "retryable": is_retryable(error),
        "requestId": request_id,
        **error.extra(),
    }
    if error.details:
        body["errors"] = [
            {"code": "INVALID_VALUE", "field": detail.field, "message": detail.message} for detail in error.details
        ]
    return msgspec.json.encode(body)


def is_retryable(error: BoxError) -> bool:
    """Whether the same request may work later (wire 4.8)."""
    return error.status in RETRYABLE or error.status >= 500


def _ingest_code(error: BoxError) -> str:
    """The specification's code where it names one, else the wire's finer one (wire 0)."""
    specified = {"AUTH_REQUIRED", "FORBIDDEN", "RATE_LIMITED"}
    return error.code if error.code in specified or not error.reason else error.reason


def header_list(error: BoxError) -> list[tuple[bytes, bytes]]:
    """The headers of a refusal, for a raw answer."""
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in error.headers.items()]
    return headers
