"""The order of a page, and what goes up or down in it."""

from analytics_box.products.status_pages.console.component_pages import entries, reordered_ids
from analytics_box.products.status_pages.page import (
    Component,
    ComponentGroup,
    Whole,
    new_component,
    new_page,
)
from tests.cases import each


def component(name: str, position: int, group: str | None = None) -> Component:
    return new_component(id=name, page_id="page", position=position, group_id=group, name=name)


WHOLE = Whole(
    new_page(id="page", organization_id="org", slug="shop", name="Shop"),
    (ComponentGroup(id="G", page_id="page", name="Group", position=1),),
    (component("a", 0), component("b", 2, "G"), component("c", 3, "G"), component("d", 4), component("e", 5, "gone")),
)


def test_components_stand_in_their_groups_and_those_of_no_group_among_them() -> None:
    assert [(one.id, [each.id for each in one.components]) for one in entries(WHOLE)] == [
        ("a", ["a"]),
        ("G", ["b", "c"]),
        ("d", ["d"]),
        ("e", ["e"]),
    ]


@each(
    ("wanted", "step", "order"),
    [
        ("a", 1, "G b c a d e"),
        ("a", -1, "a G b c d e"),
        ("G", -1, "G b c a d e"),
        ("b", 1, "a G c b d e"),
        ("c", 1, "a G b c d e"),
        ("e", 1, "a G b c d e"),
        ("nobody", 1, "a G b c d e"),
    ],
)
def test_component_moves_one_place_among_its_neighbors(wanted: str, step: int, order: str) -> None:
    assert reordered_ids(WHOLE, wanted, step) == order.split()
