"""One cookie is found among what browsers send."""

from analytics_box.web.asgi import cookie
from tests.cases import each


@each(
    ("header", "value"),
    (
        ("box=abc", "abc"),
        ("theme=dark; box=abc; x=1", "abc"),
        ("theme=dark;box=abc", "abc"),
        ("box=YWI=", "YWI="),
        ("boxes=abc; xbox=abc", ""),
        ("", ""),
        ("box; x=1", ""),
        ("box=abc; box=def", "abc"),
        ('x="' + "\\" * 30_000 + "; box=abc", "abc"),  # a quote that never ends
    ),
)
def test_a_cookie_is_found_by_its_name(header: str, value: str) -> None:
    assert cookie(header, "box") == value


def test_header_of_thousands_of_cookies_is_not_read_to_its_end() -> None:
    assert cookie("; ".join(["x=1"] * 200 + ["box=abc"]), "box") == "abc"
    assert cookie(";" * 60_000 + "box=abc", "box") == ""
