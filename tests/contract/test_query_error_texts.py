"""The texts of refusals where the wire gives them: each row of wire 3.4, in its order."""

import json
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.contract.test_query_errors import BODY, but, filtered
from tests.inprocess import KeyName, WholeBox

NAME = "parameters[0].name must be text, not a whole number"
OPERATORS = (
    "filters[0].op must be one of: contains, ends_with, eq, in, is_not_set, is_set, ne, not_contains, not_in, "
    "not_starts_with, regex, starts_with"
)
PRESETS = (
    "preset must be one of: last_14d, last_30d, last_7d, last_90d, last_month, last_week, this_month, this_week, "
    "this_year, today, yesterday"
)
GRANULARITIES = "granularity must be one of: daily, day, hour, hourly, minute"
UNKNOWN = "Unknown query type: X"


def invalid(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "message": "Invalid value"} for field in fields]


def detail(field: str, message: str, **more: str) -> list[dict[str, str]]:
    return [{"field": field, "message": message, **more}]


class Row(NamedTuple):
    """A body with what the answer says: `error` whole, `details` but for suggestions where none is given here."""

    body: Any
    status: int
    code: str
    error: str
    details: list[dict[str, str]] | None = None


ROWS = (
    # wrong JSON types, unknown op/preset/granularity, missing `parameters`
    Row(but(limit="10"), 422, "VALIDATION", "limit must be a number, not text", invalid("body.limit")),
    Row(
        but(parameters=[{"name": 7}]),
        422,
        "VALIDATION",
        NAME,
        invalid("body.parameters[0].name"),
    ),
    Row(
        filtered(op="like"),
        422,
        "VALIDATION",
        OPERATORS,
        invalid("body.filters[0].op"),
    ),
    Row(filtered(value=None), 422, "VALIDATION", "filters[0].value is required", invalid("body.filters[0].value")),
    Row(but(preset="last_8d"), 422, "VALIDATION", PRESETS, invalid("body.preset")),
    Row(
        but(granularity="weekly"),
        422,
        "VALIDATION",
        GRANULARITIES,
        invalid("body.granularity"),
    ),
    Row(but(parameters=None), 422, "VALIDATION", "parameters is required", invalid("body.parameters")),
    # body is not JSON
    Row(b"{", 400, "PARSE", "The body is not valid JSON"),
    # empty parameters
    Row(
        but(parameters=[]),
        400,
        "VALIDATION_ERROR",
        "At least one parameter is required",
        detail("parameters", "At least one parameter is required"),
    ),
    # unknown type name
    Row(but(parameters=["X"]), 400, "VALIDATION_ERROR", UNKNOWN, detail("parameters[0]", UNKNOWN)),
    Row(
        but(parameters=["top_page"]),
        400,
        "VALIDATION_ERROR",
        "Unknown query type: top_page. Did you mean 'top_pages'?",
        detail("parameters[0]", "Unknown query type: top_page", suggestion="Did you mean 'top_pages'?"),
    ),
    # neither dates nor preset
    Row(
        but(preset=None, endDate="2026-06-01"),
        400,
        "VALIDATION_ERROR",
        "Either startDate or preset is required",
        detail("startDate", "Either startDate or preset is required"),
    ),
    Row(
        but(preset=None, startDate="2026-06-01"),
        400,
        "VALIDATION_ERROR",
        "Either endDate or preset is required",
        detail("endDate", "Either endDate or preset is required"),
    ),
    # unparsable date
    Row(
        but(preset=None, startDate="2026-02-30", endDate="2026-06-01"),
        400,
        "VALIDATION_ERROR",
        "Invalid date: 2026-02-30",
        detail("startDate", "Invalid date: 2026-02-30"),
    ),
    # limit < 1 / > 10000, page < 1
    Row(but(limit=0), 400, "VALIDATION_ERROR", "Limit must be at least 1", detail("limit", "Limit must be at least 1")),
    Row(
        but(limit=10_001),
        400,
        "VALIDATION_ERROR",
        "Limit cannot exceed 10000",
        detail("limit", "Limit cannot exceed 10000"),
    ),
    Row(but(page=0), 400, "VALIDATION_ERROR", "Page must be at least 1", detail("page", "Page must be at least 1")),
    # hourly over 30 days (wire 0 and 3.3)
    Row(
        but(preset="last_90d", granularity="hour"),
        400,
        "VALIDATION_ERROR",
        "Hourly granularity supports up to 30 days",
        detail("granularity", "Hourly granularity supports up to 30 days"),
    ),
    # In a batch, fields are prefixed; one bad item rejects the whole batch
    Row(
        [BODY, but(limit=10_001)],
        400,
        "VALIDATION_ERROR",
        "Limit cannot exceed 10000",
        detail("batch[1].limit", "Limit cannot exceed 10000"),
    ),
)


@each("row", ROWS, ids=lambda row: f"{row.error} {row.details}")
def test_the_texts_are_those_of_the_wire(box: WholeBox, row: Row) -> None:  # wire 3.4
    answer = box.query("shop", row.body)
    assert (answer.status, answer.json["code"], answer.json["error"]) == (row.status, row.code, row.error)
    found = answer.json.get("details")
    if row.details is not None and row.status == 422:
        for item in found:
            assert item.pop("suggestion")  # what was expected instead
    assert found == row.details


@pytest.mark.parametrize(
    ("key", "target", "status", "code", "error"),
    [
        ("restricted", "", 400, "MISSING_PROJECT_ID", None),
        (None, "website_id={shop}", 401, "AUTH_REQUIRED", "Authentication required"),
        (None, "", 401, "AUTH_REQUIRED", "Authentication required"),
        ("foreign", "website_id={shop}", 403, "FORBIDDEN", "Access denied to this website"),
        ("all", "link_id=x", 403, "FORBIDDEN", "Access denied to this link"),
        ("all", "schedule_id=x", 403, "FORBIDDEN", "Access denied to this monitor"),
        ("all", "organization_id=x", 403, "FORBIDDEN", "Access denied to this organization"),
    ],
)
def test_refusals_of_targets_have_the_texts_of_the_wire(
    box: WholeBox, key: KeyName | None, target: str, status: int, code: str, error: str | None
) -> None:  # wire 3.2 and 3.4
    answer = box.post(f"/v1/query?{target.format(shop=box.sites['shop'])}", BODY, key=key)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert error in {None, answer.json["error"]}
    if status == 401:
        resource = f"{box.box.settings.public_url}/.well-known/oauth-protected-resource"
        assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{resource}"'


def test_all_that_is_wrong_is_named_at_once_the_first_of_it_in_the_text(box: WholeBox) -> None:
    wrong = but(
        parameters=["topp_pages", "zzzz"],
        preset=None,
        limit=0,
        page=0,
        filters=[{"field": "path", "op": "regex", "value": "("}],
    )
    answer = box.query("shop", wrong)
    assert answer.json["error"] == "Limit must be at least 1"
    assert [item["field"] for item in answer.json["details"]] == [
        *("limit", "page", "parameters[0]", "parameters[1]", "startDate", "endDate", "filters[0].value")
    ]


@pytest.mark.parametrize("numbers", [b'"limit":10.0,"page":1.0', b'"limit":1e1', b'"limit":null,"page":null'])
def test_a_number_is_whole_however_it_is_written(box: WholeBox, numbers: bytes) -> None:  # spec 2.5
    sent = json.dumps(BODY).encode()[:-1] + b"," + numbers + b"}"
    meta = box.query("shop", sent).json["meta"]
    assert (meta["page"], meta["limit"]) == (1, 100 if b"null" in numbers else 10)


# Entries that fail alone (wire 3.5)
ENTRIES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"parameters": ["top_pages", "X"]}, UNKNOWN),
    ({"parameters": ["top_pages", {"name": "country", "start_date": "soon"}]}, "Invalid parameter date range"),
    (
        {"parameters": ["top_pages", {"name": "country", "start_date": "2026-06-18", "end_date": "2026-06-17"}]},
        "Invalid parameter date range",
    ),
    (
        {"parameters": ["top_pages", "country"], "filters": [{"field": "trait:plan", "op": "eq", "value": "pro"}]},
        "Trait filters are not supported for country",
    ),
)


@pytest.mark.parametrize(("more", "error"), ENTRIES)
def test_an_entry_that_fails_alone_says_so_in_the_words_of_the_wire(
    box: WholeBox, more: dict[str, Any], error: str
) -> None:
    answer = box.query("shop", BODY | more)
    assert answer.status == 200
    assert answer.json["success"] is True
    good, bad = answer.json["data"]
    assert good["success"] is True
    assert (bad["success"], bad["data"], bad["error"]) == (False, [], error)


def test_a_trait_is_only_asked_of_a_single_website(box: WholeBox) -> None:  # wire 2.2
    body = BODY | {"parameters": ["top_pages"], "filters": [{"field": "trait:plan", "op": "eq", "value": "pro"}]}
    (entry,) = box.post("/v1/query", body, key="all").json["data"]
    assert entry["error"] == "Trait filters are only supported for website queries"
