"""Reading a file of links: whatever somebody's spreadsheet writes, and what is wrong pointed at."""

import json
import sys
import tracemalloc
from typing import Any

import pytest
from msgspec.structs import asdict

from analytics_box.base.errors import BadRequest
from analytics_box.products.links.bulk import files as import_files
from analytics_box.products.links.bulk.cells import MOST_ROWS
from analytics_box.products.links.bulk.files import MOST_CHARACTERS, LinkRecord, LinkSheet
from analytics_box.products.links.bulk.records import parse
from analytics_box.products.links.link import Utm
from tests.cases import each

URL = "https://example.com/"
MEGABYTE = 1_000_000
COMMA = 9 if sys.version_info >= (3, 13) else 10  # the comma too many, or what follows it


def read(content: str, form: Any = "csv") -> list[LinkRecord]:
    return list(LinkSheet(content, form))


def cells(content: str) -> list[tuple[int, dict[str, Any] | str]]:
    return [(record.number, record.wrong or record.fields) for record in read(content)]


def refusal(content: str, form: Any = "csv") -> str:
    with pytest.raises(BadRequest) as refused:
        read(content, form)
    return refused.value.message


@pytest.mark.parametrize(
    "content",
    [
        f"name,targetUrl\nA,{URL}\n",
        f"\ufeffname,targetUrl\r\nA,{URL}\r\n",
        f"name,targetUrl\rA,{URL}\r",
        f"Name;Target URL\nA;{URL}\n",
        f"name\ttargetUrl\nA\t{URL}",
        f'"name","targetUrl"\n"A","{URL}"\n',
        f"sep=;\r\nTITLE;long_url\r\nA;{URL}\r\n",
        f"\n\r\n  \nname,URL\nA,{URL}\n\n\n",
        f"name,targetUrl,,\nA,{URL},,\n",
        f"name,targetUrl\nA,{URL},,,\n",
    ],
)
def test_sheets_as_programs_write_them(content: str) -> None:
    assert cells(content) == [(1, {"name": "A", "targetUrl": URL})]


def test_rows_are_counted_as_a_spreadsheet_counts_them() -> None:
    content = f'targetUrl,name\r\n{URL},"two\nlines"\r\n\r\n;,\r\n,\n"",""\n{URL},B\n'
    assert [number for number, _ in cells(content)] == [1, 3, 6]


def test_a_heading_may_be_spelled_in_many_ways() -> None:
    (row,) = cells(f"Target-URL,utm_source,EXPIRES AT,Og Title\n{URL},s,2027-01-31,T\n")
    assert row == (1, {"targetUrl": URL, "utmSource": "s", "expiresAt": "2027-01-31", "ogTitle": "T"})


def test_unknown_columns_are_named() -> None:
    sheet = LinkSheet(f"targetUrl,Colour,,name,\n{URL},red,,A,\n{URL},,7,,\n", "csv")
    assert [record.fields for record in sheet] == [{"targetUrl": URL, "name": "A"}, {"targetUrl": URL, "name": ""}]
    assert sheet.ignored == ["Colour", "column 3"]


def test_a_row_that_cannot_be_read_fails_alone() -> None:
    content = f'targetUrl,name\n{URL},"a"b\n{URL},B\n{URL},C,D\n{URL},E\n"{URL},F\n{URL},G\n'
    found = cells(content)
    assert [number for number, _ in found] == [1, 2, 3, 4, 5]
    assert [type(what) for _, what in found] == [str, dict, str, dict, str]
    assert "quotation marks" in str(found[0][1])
    assert "Cell 3 has no heading" in str(found[2][1])


@each(
    ("content", "form", "said"),
    [
        ("", "csv", "file contains no links"),
        ("\ufeff \r\n\n", "csv", "file contains no links"),
        ("targetUrl\n", "csv", "file contains no links"),
        ("targetUrl\n\n,\n", "csv", "file contains no links"),
        ("name\nA\n", "csv", "including targetUrl. It has name"),
        (f"{URL}\n{URL}\n", "csv", "The first line must name the columns"),
        (f"url,name,long_url\n{URL},,\n", "csv", "Two columns are targetUrl: url and long_url"),
        (f"targetUrl,name,Name\n{URL},,\n", "csv", "Two columns are name: name and Name"),
        (f'targetUrl,"na"me\n{URL},,\n', "csv", "The first line cannot be read"),
        ("t\0a\0r\0g\0e\0t\0U\0r\0l\0\n\0", "csv", "not UTF-8 text"),
        ("targetUrl" + "," * 500, "csv", "can have up to 200 columns"),
        ("x" * (MOST_CHARACTERS + 1), "csv", "The first line is longer than 1,000,000 characters"),
        (
            f'targetUrl\n{URL}\n"' + ("x" * 99 + "\n") * (MOST_CHARACTERS // 100),
            "csv",
            "Row 2 is longer than 1,000,000 characters",
        ),
        ("targetUrl\n" + f"{URL}\n" * (MOST_ROWS + 1), "csv", "can have up to 10,000 links"),
        (f'[{{"targetUrl": "{URL}"}}]', "csv", "looks like JSON"),
        ("", "json", "file contains no links"),
        ("[]", "json", "file contains no links"),
        ("[ \n", "json", "not valid JSON from line 2, character 1 on"),
        ("{}", "json", "a list of objects"),
        ("null", "json", "a list of objects"),
        ('[{"a": 1},\n {"a": 2,}]', "json", f"not valid JSON from line 2, character {COMMA} on, in or after row 2"),
        ("[{}, {}", "json", "not valid JSON from line 1, character 8 on"),
        ("[{}] x", "json", "not valid JSON from line 1, character 6 on"),
        ("[{},]", "json", "not valid JSON from line 1, character 5 on"),
        ("[{} {}]", "json", "not valid JSON from line 1, character 5 on"),
        ("[" + "[" * 100_000, "json", "Row 1 is nested too deeply"),
        ('["' + "x" * MOST_CHARACTERS + '"]', "json", "Row 1 is longer than 1,000,000 characters"),
        ("[" + "{}," * MOST_ROWS + "{}]", "json", "can have up to 10,000 links"),
    ],
)
def test_invalid_file_is_refused_with_reason_and_position(content: str, form: str, said: str) -> None:
    assert said in refusal(content, form)


def test_objects_of_any_size_and_shape_are_told_apart() -> None:
    objects: list[Any] = [
        {"a": "x" * size, "b": [{"c": ']},{["\\'}, 1.5e3, None, True]} for size in (0, 16_370, 16_384, 140_000, 900_000)
    ]
    for text in (json.dumps(objects), json.dumps(objects, indent=2), "\ufeff " + json.dumps(objects) + "\n"):
        assert [record.fields for record in read(text, "json")] == objects


@pytest.mark.parametrize("text", ["1", "12345678901234567890", "null", "[]", '"x"', "NaN", '{"a": "\\ud800"}', "{1:2}"])
def test_row_that_is_no_object_fails_alone(text: str) -> None:
    if text == "{1:2}":
        assert "not valid JSON" in refusal(f"[{text}]", "json")
        return
    records = read(f'[{text}, {{"targetUrl": "{URL}"}}]', "json")
    assert [bool(record.wrong) for record in records] == [True, False]


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("targetUrl\n" + "\n" * (4 * MEGABYTE), "csv"),
        ("targetUrl\n" + " \r\n" * MEGABYTE, "csv"),
        ("targetUrl,name\n" + '"",""\n' * 40_000, "csv"),
        ("targetUrl" + "," * (4 * MEGABYTE), "csv"),
        ("targetUrl\n" + "," * (4 * MEGABYTE), "csv"),
        ('targetUrl\n"' + ("x" * 99 + "\n") * (4 * MEGABYTE // 100), "csv"),
        ("[" + "{}," * MEGABYTE + "{}]", "json"),
        ("[[" + "[]," * MEGABYTE + "[]]]", "json"),
        ("[" + " " * (4 * MEGABYTE), "json"),
        ('["' + "\\\\" * (2 * MEGABYTE), "json"),
    ],
    ids=lambda given: str(given)[:24],
)
def test_no_file_takes_much_memory(content: str, form: Any) -> None:
    """Read whole, as they once were, the worst of these took eighty times their size."""
    tracemalloc.start()
    try:
        refusal(content, form)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40 * MEGABYTE


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("ä".encode(), "ä"),
        ("\ufeffä".encode(), "\ufeffä"),
        ("\ufeffä".encode("utf-16-le"), "ä"),
        ("\ufeffä".encode("utf-16-be"), "ä"),
    ],
)
def test_files_in_utf_8_and_in_utf_16_with_a_mark(sent: bytes, text: str) -> None:
    assert import_files.utf8(sent).decode() == text


@pytest.mark.parametrize("sent", ["ä".encode("latin-1"), b"\xff\xfea", b"a\x00\xd8\xff"])
def test_bytes_that_are_no_text_are_refused(sent: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        import_files.utf8(sent)


@each(
    ("fields", "field", "said"),
    [
        ({}, "targetUrl", "This is required"),
        ({"targetUrl": 7.5}, "targetUrl", "Must be text"),
        ({"targetUrl": ["x"]}, "targetUrl", "Must be text"),
        ({"targetUrl": URL, "name": "x" * 256}, "name", "at most 255 characters"),
        ({"targetUrl": URL, "password": "abc"}, "password", "at least 4 characters"),
        ({"targetUrl": URL, "tags": ["x"] * 21}, "tags", "at most 20 values"),
        ({"targetUrl": URL, "tags": "a;" + "x" * 51}, "tags[1]", "at most 50 characters"),
        ({"targetUrl": URL, "colour": "red"}, "colour", "This is not a known field"),
        ({"targetUrl": URL, "organizationId": "x"}, "organizationId", "This is not a known field"),
        ({"targetUrl": URL, "maxClicks": "many"}, "maxClicks", "A whole number"),
        ({"targetUrl": URL, "maxClicks": True}, "maxClicks", "A whole number"),
        ({"targetUrl": URL, "maxClicks": 0}, "maxClicks", "A whole number"),
        ({"targetUrl": URL, "maxClicks": "1.5"}, "maxClicks", "A whole number"),
        ({"targetUrl": URL, "redirectStatus": "303"}, "redirectStatus", "One of 301"),
        ({"targetUrl": URL, "queryForwarding": "all"}, "queryForwarding", "One of none"),
        ({"targetUrl": URL, "expiresAt": "31.01.2027"}, "expiresAt", "like 2027-01-31"),
        ({"targetUrl": URL, "expiresAt": "01/31/2027 6:00 PM"}, "expiresAt", "like 2027-01-31"),
        ({"targetUrl": URL, "expiresAt": "2027-02-30"}, "expiresAt", "like 2027-01-31"),
        ({"targetUrl": URL, "expiresAt": 1_800_000_000}, "expiresAt", "like 2027-01-31"),
        ({"targetUrl": URL, "rules": "[{"}, "rules", "Must be JSON"),
        ({"targetUrl": URL, "rules": "[{}]"}, "rules[0].name", "This is required"),
        (
            {"targetUrl": URL, "variants": [{"name": "a", "targetUrl": URL, "weight": "1"}]},
            "variants[0].weight",
            "Must be a whole number",
        ),
        ({"targetUrl": URL, "folder": {"a": 1}}, "folder", "Must be text"),
        ({"targetUrl": URL, "utm": "x"}, "utm", "object"),
    ],
)
def test_a_row_that_cannot_be_understood_says_which_field(fields: dict[str, Any], field: str, said: str) -> None:
    (parsed,) = parse(LinkRecord(3, fields))
    found = parsed.wrong
    assert found is not None
    assert (found.row, found.status, found.field) == (3, "failed", field)
    assert said in found.error


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("2027-01-31", "2027-01-31T00:00:00+00:00"),
        ("2027-01-31 18:30", "2027-01-31T18:30:00+00:00"),
        (" 2027-01-31T18:30:15.5Z ", "2027-01-31T18:30:15.500000+00:00"),
        ("2027-01-31 18:30:15 +0100", "2027-01-31T18:30:15+01:00"),
        ("2027-01-31T18:30-05:30", "2027-01-31T18:30:00-05:30"),
    ],
)
def test_dates_in_their_shapes(given: str, wanted: str) -> None:
    (parsed,) = parse(LinkRecord(1, {"targetUrl": URL, "expiresAt": given}))
    message = parsed.given
    assert message is not None
    assert asdict(message)["expires_at"].isoformat() == wanted


def test_numbers_as_sheets_and_json_write_them() -> None:
    for value in (5, "5", " 5 ", "5.0", 5.0):
        (parsed,) = parse(LinkRecord(1, {"targetUrl": URL, "maxClicks": value, "externalId": 17, "utmTerm": 3}))
        message = parsed.given
        assert message is not None
        given = asdict(message)
        assert (given["max_clicks"], given["external_id"], given["utm"]) == (5, "17", Utm(term="3"))
