"""The table of wire 4.8, row by row: its code, its status, and a request that gets it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from analytics_box.base.settings import Settings
from analytics_box.web import render
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

ASKED = Callable[[WholeBox], Answer]
EVENT = {"name": "sign_up"}
VIEW = {"name": "screen_view", "path": "https://shop.example/"}
NAMED = {"AUTH_REQUIRED": 401, "FORBIDDEN": 403, "RATE_LIMITED": 429}  # what the specification calls it (wire 0)


class Row(NamedTuple):
    """A row of the table. Without a request it is out of scope or never happens here, and `why` says so.

    With `alone` it needs a box of its own, with narrow limits.
    """

    code: str
    status: int
    ask: ASKED | None = None
    why: str = ""
    alone: bool = False


def page(path: str, body: Any, site: str = "shop", **headers: str) -> ASKED:
    """A page's request by client id."""

    def ask(box: WholeBox) -> Answer:
        client = f"?client_id={box.sites[site]}" if site else ""  # type: ignore[index]  # whole_box has sites
        given = {"content_type": "application/json", **headers}
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        return box.ask("POST", path + client, headers=given, body=content)

    return ask


def keyed(path: str, body: Any, key: str) -> ASKED:
    return lambda box: box.post(path, body, key=key)  # type: ignore[arg-type]  # any text may come as a key


def repeated(ask: ASKED) -> ASKED:
    def again(box: WholeBox) -> Answer:
        for _ in range(2):
            ask(box)
        return ask(box)

    return again


def only_one_address(box: WholeBox) -> Answer:
    change = {"id": box.sites["local"], "settings": {"allowedIps": ["192.0.2.1"]}}
    assert box.post("/websites/updateSettings", change, key="all").status == 200
    return page("/", {**VIEW, "path": "http://localhost/"}, "local")(box)


def broken_disk(box: WholeBox) -> Answer:
    box.box.events.db.close()
    return page("/", VIEW)(box)


OTHER_PRODUCT = "belongs to parts of the wire that are out of scope (MCP, payments)"
NO_BILLING = "a self-hosted box never bills"
ROWS = (
    Row("TRACK_PAYLOAD_TOO_LARGE", 413, keyed("/track", {"name": "x", "title": "x" * 70_000}, "all")),
    Row("TRACK_INVALID_BODY", 400, keyed("/track", [], "all")),
    Row("TRACK_MISSING_SCOPE", 403, keyed("/track", EVENT, "reading")),
    Row("TRACK_MISSING_OWNER", 400, why="every key has an organization, and every website has one"),
    Row("TRACK_MISSING_CREDENTIALS", 401, page("/track", EVENT, "")),
    Row("TRACK_WEBSITE_NOT_FOUND", 404, keyed("/track", {**EVENT, "websiteId": "unknown"}, "all")),
    Row("TRACK_WEBSITE_NO_ORGANIZATION", 400, why="every website has an organization"),
    Row("TRACK_WEBSITE_SCOPE_MISMATCH", 403, keyed("/track", EVENT, "restricted")),
    Row("TRACK_RATE_LIMITED", 429, repeated(keyed("/track", EVENT, "all")), alone=True),
    Row("IDENTIFY_RATE_LIMITED", 429, repeated(page("/identify", {"profileId": "a"})), alone=True),
    Row("IDENTIFY_MISSING_WEBSITE_ID", 400, keyed("/identify", {"profileId": "a"}, "all")),
    Row("MCP_INVALID_API_KEY", 401, why=OTHER_PRODUCT),
    Row("WEBSITE_LOOKUP_UNAVAILABLE", 503, why="websites are in memory"),
    Row("WEBHOOK_ENDPOINT_NOT_FOUND", 404, why=OTHER_PRODUCT),
    Row("WEBHOOK_INVALID_SIGNATURE", 401, why=OTHER_PRODUCT),
    Row("WEBHOOK_PROCESSING_FAILED", 500, why=OTHER_PRODUCT),
    Row("WEBHOOK_MISSING_SIGNATURE", 400, why=OTHER_PRODUCT),
    Row("WEBHOOK_INVALID_PAYLOAD", 400, why=OTHER_PRODUCT),
    Row("INGEST_PAYLOAD_TOO_LARGE", 413, page("/vitals", b" " * 1_048_577)),
    Row("INGEST_MISSING_CLIENT_ID", 400, page("/engagement", [], "")),
    Row("INGEST_INVALID_CLIENT_ID", 400, page("/vitals", [], "idle")),
    Row("INGEST_ORIGIN_NOT_AUTHORIZED", 403, page("/", VIEW, origin="https://evil.example")),
    Row("INGEST_IP_NOT_AUTHORIZED", 403, only_one_address),
    Row("INGEST_WEBSITE_MISSING_ORGANIZATION", 400, why="every website has an organization"),
    Row("INGEST_UNKNOWN_EVENT_TYPE", 400, page("/", {**VIEW, "type": "llm"})),
    Row("INGEST_BATCH_NOT_ARRAY", 400, page("/batch", VIEW)),
    Row("INGEST_BATCH_TOO_LARGE", 400, page("/batch", [VIEW] * 101)),
    Row("INGEST_ERRORS_BODY_TOO_LARGE", 413, page("/errors", b" " * 131_073)),
    Row("INVALID_EVENT_SCHEMA", 400, page("/events", [{"name": "x"}])),
    Row("BILLING_LIMIT_EXCEEDED", 402, why=NO_BILLING),
    Row("BILLING_CHECK_UNAVAILABLE", 503, why=NO_BILLING),
    Row("DELIVERY_UNAVAILABLE", 503, broken_disk, alone=True),
)


def narrow(settings: Settings) -> Settings:
    names = [name for name in Settings.__struct_fields__ if name in {"limit_track", "limit_identify"}]
    return msgspec.structs.replace(settings, **dict.fromkeys(names, 2))


ASKED_ROWS = [row for row in ROWS if row.ask is not None]


@each("row", [row for row in ASKED_ROWS if not row.alone], ids=lambda row: row.code)
def test_each_code_of_the_table_has_its_status_and_shape(box: WholeBox, row: Row) -> None:
    check(row, box)


@pytest.mark.parametrize("row", [row for row in ASKED_ROWS if row.alone], ids=lambda row: row.code)
def test_limits_and_disk_errors_have_their_codes(tmp_path: Path, row: Row) -> None:
    with whole_box(tmp_path / "data", adjust=narrow) as alone:
        check(row, alone)


def check(row: Row, box: WholeBox) -> None:
    assert row.ask is not None
    answer = row.ask(box)
    body = answer.json
    assert (answer.status, body["reason"]) == (row.status, row.code)
    assert body["code"] in {row.code, *NAMED}
    assert NAMED.get(body["code"], row.status) == row.status
    assert (body["success"], body["status"]) == (False, "error")
    assert body["retryable"] is (row.status in {408, 425, 429} or row.status >= 500)
    assert ("retry-after" in answer.headers) is body["retryable"]
    if row.code == "INVALID_EVENT_SCHEMA":
        (wrong,) = body["errors"]
        assert (wrong["code"], wrong["field"]) == ("INVALID_VALUE", "[0].eventName")
        assert wrong["message"] == "This is required"


def test_the_table_is_whole_and_says_of_each_row_why_it_is_left_out() -> None:
    assert len({row.code for row in ROWS}) == len(ROWS) == 32
    for row in ROWS:
        assert (row.ask is None) is bool(row.why), row.code
    assert {408, 425, 429} == render.RETRYABLE
