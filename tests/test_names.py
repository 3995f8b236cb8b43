"""What may be a name: people write in every script, with apostrophes and ampersands."""

from analytics_box import names
from tests.cases import each


@each(
    "name",
    [
        "Kim's & Jo's <Café> №1",
        "متجر‌ها",  # with a non-joiner, as Persian writes it
        "क्‍ष की दुकान",  # with a joiner, as Hindi writes it
        "東京の店",
        "🏳️‍🌈 shop",
        "x" * 100,
    ],
)
def test_names_take_what_people_write(name: str) -> None:
    assert names.is_name(names.one_line(f"  {name} "))


@each("name", ["", "x" * 101, "a\u200bb", "a\u202eb", "a\x00b", "\u200d", "a\ufffeb"])
def test_names_take_nothing_that_nobody_sees(name: str) -> None:
    assert not names.is_name(names.one_line(name))
