"""Codes are called by their names, whatever has them."""

from analytics_box.web.recognition.language import display_name
from tests.cases import each


@each(
    ("field", "value", "name"),
    [
        ("country", "DE", "Germany"),
        ("country", "at", "Austria"),
        ("country", "Germany", "Germany"),
        ("country", "ZZ", "ZZ"),
        ("language", "de-AT", "German (Austria)"),
        ("language", "klingon", "klingon"),
        ("city", "DE", "DE"),
    ],
)
def test_countries_and_languages_have_names_and_all_else_is_as_it_is(field: str, value: str, name: str) -> None:
    assert display_name(field, value) == name
