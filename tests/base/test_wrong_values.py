"""Values of the wrong type, length or range are refused in words of the wire, never in those of a library."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from analytics_box.base.wrong_values import wrong_value
from tests.cases import each


class Circle(Struct, tag="circle"):
    size: Literal["small", "large"]


class Line(Struct, tag="line"):
    size: Literal["long"]
    drawn: datetime


class Drawing(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=3)]
    shapes: Annotated[list[Circle | Line], Meta(max_length=2)] = []
    level: Annotated[int, Meta(ge=1, le=5)] | None = None
    weight: float | None = None
    counts: dict[str, int] = {}
    at: Annotated[datetime, Meta(tz=True)] | None = None
    color: Annotated[str, Meta(pattern="^#", examples=["#2563eb"])] = "#"
    code: Annotated[str, Meta(pattern="^x")] = "x"
    pair: tuple[int, int] = (1, 2)


@each(
    ("given", "sentence"),
    [
        ("[]", "The value must be an object, not a list"),
        ("{}", "name is required"),
        ('{"name": ""}', "name is required"),
        ('{"name": 1}', "name must be text, not a whole number"),
        ('{"name": null}', "name must be text, not null"),
        ('{"name": "long"}', "name must be at most 3 characters"),
        ('{"name": "a", "more": 1}', "more is not a known field"),
        ('{"name": "a", "level": 7}', "level must be a whole number from 1 to 5"),
        ('{"name": "a", "level": 99999999999999999999999}', "level must be a whole number from 1 to 5"),
        ('{"name": "a", "level": "x"}', "level must be a whole number, not text"),
        ('{"name": "a", "weight": "x"}', "weight must be a number, not text"),
        ('{"name": "a", "counts": {"k": "v"}}', "counts[...] must be a whole number, not text"),
        ('{"name": "a", "at": "2027-01-31"}', "at must be a date and time such as 2027-01-31T18:00:00Z"),
        ('{"name": "a", "at": "2027-01-31T18:00:00"}', "at must be a date and time such as 2027-01-31T18:00:00Z"),
        ('{"name": "a", "color": "red"}', "color must be a value such as #2563eb"),
        ('{"name": "a", "code": "red"}', "code is not an accepted value"),
        ('{"name": "a", "pair": [1]}', "pair must have 2 values"),
        ('{"name": "a", "shapes": [{}]}', "shapes[0].type is required"),
        ('{"name": "a", "shapes": [{"type": "dot"}]}', "shapes[0].type must be one of: circle, line"),
        (
            '{"name": "a", "shapes": [{"type": "circle", "size": "huge"}]}',
            "shapes[0].size must be one of: large, small, long",
        ),
        ('{"name": "a", "shapes": [1, 2, 3]}', "shapes[0] must be an object, not a whole number"),
    ],
)
def test_refused_value_is_named_with_what_to_send_instead(given: str, sentence: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(given, type=Drawing)
    assert wrong_value(refused.value, Drawing).sentence == sentence


@each(
    ("given", "message"),
    [
        ({"name": "long"}, "Must be at most 3 characters"),
        ({}, "This is required"),
        ({"name": "a", "level": 0}, "Must be at least 1"),
        ({"name": "a", "color": "red"}, "This is not an accepted value"),
        ({"name": "a", "n" * 500: 1}, "This is not a known field"),
    ],
)
def test_refusal_without_the_type_still_reads_as_a_sentence_next_to_its_field(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(given, Drawing)
    found = wrong_value(refused.value)
    assert found.message == message
    assert len(found.path) < 100
