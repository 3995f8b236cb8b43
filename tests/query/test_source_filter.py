"""A filter on the source finds it by its name, its host or its address, as a utm_source would be read."""

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
