"""The differences that the audit log names."""

from msgspec import Struct

from analytics_box.base import audit


class Part(Struct, frozen=True):
    size: int


class Sample(Struct, frozen=True):
    """A resource with a field of each kind."""

    id: str = "a"
    name: str = "first"
    part: Part = Part(1)
    password: str = ""
    people: tuple[str, ...] = ()
    updated_at: int = 1


def test_changed_field_is_named_with_its_plain_values() -> None:
    found = audit.difference(Sample(), Sample(name="second", part=Part(2)))
    assert found == {
        "name": {"before": "first", "after": "second"},
        "part": {"before": {"size": 1}, "after": {"size": 2}},
    }


def test_times_and_ids_are_no_difference() -> None:
    assert audit.difference(Sample(), Sample(id="b", updated_at=2)) == {}


def test_secret_is_named_even_if_only_its_value_changed() -> None:
    found = audit.difference(Sample(password="a"), Sample(password="b"), shown={"password": bool})
    assert found == {"password": {"before": True, "after": True}}


def test_field_has_its_name_in_the_log() -> None:
    found = audit.difference(Sample(), Sample(people=("ada",)), names={"people": "members"}, shown={"people": len})
    assert found == {"members": {"before": 0, "after": 1}}


def test_only_the_given_fields_are_compared() -> None:
    other = Sample(name="second", people=("ada",))
    assert {*audit.difference(Sample(), other, ("name",))} == {"name"}
    assert {*audit.difference(Sample(), other, without=("name",))} == {"people"}
