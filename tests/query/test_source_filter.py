"""Filter values in the spelling of the facts: sources by name, host or address, codes in one case."""

import pytest

from analytics_box.query.filters import Filter, FilterCondition, condition


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("", "Direct"),
        ("direct", "Direct"),
        ("(direct)", "Direct"),
        ("google", "Google"),
        ("Google.com", "Google"),
        ("www.google.co.uk", "Google"),
        ("https://www.google.com/search?q=x", "Google"),
        ("google ads", "Google"),
        ("linked-in", "LinkedIn"),
        ("docs.google.com", "docs.google.com"),
        ("https://docs.google.com/document/d/1", "docs.google.com"),
        ("https://mail.google.com/mail/u/0", "Gmail"),
        ("WWW.Example.org", "example.org"),
        ("Spring Sale", "Spring Sale"),
    ],
)
def test_a_source_is_found_however_it_is_written(written: str, stored: str) -> None:
    assert condition(Filter("referrer", "eq", (written,))) == FilterCondition("source", "is", (stored,), False)


@pytest.mark.parametrize("field", ["currency", "device_type"])
def test_pattern_is_matched_as_written_where_other_values_are_folded(field: str) -> None:
    assert condition(Filter(field, "regex", (r"^\D[A-z]+$",))).values == (r"^\D[A-z]+$",)
    folded = {"currency": "EU", "device_type": "eu"}[field]
    assert condition(Filter(field, "contains", ("Eu",))).values == (folded,)
