"""Fingerprints of errors: the same for one cause, different for different ones."""

import pytest

from analytics_box.ingest.fingerprints import fingerprint, normalize_message, top_frames
from tests.cases import each

CHROME = """TypeError: x is null
    at focusFirst (https://shop.example/app.3f2a9c1d.js?v=3:12:7)
    at async Form.submit (https://shop.example/index-BxYzAbCd.js:1:2210)
    at https://shop.example/main-1a2b3c4d.js:9:1
    at fourth (https://shop.example/main.js:1:1)"""
FIREFOX = "focusFirst@https://shop.example/app.3f2a9c1d.js:12:7\n@https://shop.example/index.js:1:2"
STACK = "    at focusFirst (https://shop.example/app.js:12:7)"


@each(
    ("message", "expected"),
    [
        ("Order 1234 failed after 2.5 s", "Order <n> failed after <n> s"),
        ("Loading https://cdn.example/a.js?x=1 failed", "Loading <url> failed"),
        ("No user 3fa85f64-5717-4562-b3fc-2c963f66afa6", "No user <id>"),
        ("Token eyJhbGciOiJIUzI1NiJ9 expired", "Token <id> expired"),
        ("Unknown plan 'team' of \"Ann\" and `x`", "Unknown plan <text> of <text> and <text>"),
        ("Cannot read properties of null (reading 'focus')", "Cannot read properties of null (reading 'focus')"),
        ("It can't be, it won't be", "It can't be, it won't be"),
    ],
)
def test_message_is_normalize_message(message: str, expected: str) -> None:
    assert normalize_message(message) == expected


@each(
    ("stack", "expected"),
    [
        (CHROME, ("focusFirst@app.js", "Form.submit@index.js", "@main.js")),
        (FIREFOX, ("focusFirst@app.js", "@index.js")),
        ("no frame at all\nat", ()),
        ("", ()),
        ("a@https://shop.example/app.js:1:2", ("@app.js",)),
    ],
)
def test_top_frames_have_no_lines_no_hashes_and_no_minified_names(stack: str, expected: tuple[str, ...]) -> None:
    assert top_frames(stack) == expected


def test_next_release_with_other_lines_and_hashes_has_the_same_fingerprint() -> None:
    later = CHROME.replace("3f2a9c1d", "99aa88bb").replace(":12:7", ":15:2")
    assert fingerprint("TypeError", "x is null", "app.js", CHROME) == fingerprint("TypeError", "x is null", "", later)


@pytest.mark.parametrize(
    "other",
    [
        ("RangeError", "Order 7 failed", "app.js", STACK),
        ("TypeError", "Cart 7 failed", "app.js", STACK),
        ("TypeError", "Order 7 failed", "app.js", STACK.replace("focusFirst", "focusLast")),
        ("TypeError", "Order 7 failed", "app.js", STACK.replace("app.js", "cart.js")),
        ("TypeError", "Order 7 failed", "app.js", ""),
    ],
)
def test_other_type_message_function_or_script_has_another_fingerprint(other: tuple[str, str, str, str]) -> None:
    known = fingerprint("TypeError", "Order 8 failed", "app.js", STACK)
    assert known == fingerprint("TypeError", "Order 9 failed", "app.js", STACK)
    assert known != fingerprint(*other)


def test_error_without_a_stack_is_grouped_by_its_script() -> None:
    here = fingerprint("Error", "x", "https://shop.example/app.js?v=1", "")
    assert here == fingerprint("Error", "x", "https://shop.example/app.js?v=2", "")
    assert here != fingerprint("Error", "x", "https://shop.example/cart.js", "")


@pytest.mark.parametrize("text", ["'" * 2048, "a1" * 1024, "0a-" * 680, "1." * 1024, "http:" * 400, "“" * 2048])
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    """A pattern that looks back would not end within the time limit of a test."""
    assert len(fingerprint("Error", text, text[:512], "\n".join([text, f"at {text}", text]))) == 16
