"""The order of a page's components and groups, and moving one of them. Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from analytics_box.products.status_pages.page import Component, ComponentGroup
from analytics_box.products.status_pages.whole import Whole


class PageItem(Struct, frozen=True):
    """A top-level item of a page: a component, or a group with its components."""

    id: str
    group: ComponentGroup | None
    components: tuple[Component, ...]


def entries(whole: Whole) -> list[PageItem]:
    """The top-level items of a page, in its order."""
    known = {group.id for group in whole.groups}
    found = [
        (group.position, PageItem(group.id, group, tuple(one for one in whole.components if one.group_id == group.id)))
        for group in whole.groups
    ]
    found += [(one.position, PageItem(one.id, None, (one,))) for one in whole.components if one.group_id not in known]
    return [entry for _, entry in sorted(found, key=lambda pair: (pair[0], pair[1].id))]


def reordered_ids(whole: Whole, wanted: str, step: int) -> list[str]:
    """The ids of everything in its order after one component or group went one place up (-1) or down (1).

    A component in a group moves within it.
    """
    own = entries(whole)
    top = [entry.id for entry in own]
    inner = {entry.id: [one.id for one in entry.components] for entry in own if entry.group is not None}
    for siblings in (top, *inner.values()):
        _swap(siblings, wanted, step)
    return list(_flat(top, inner))


def _flat(top: Sequence[str], inner: dict[str, list[str]]) -> Iterable[str]:
    for one in top:
        yield one
        yield from inner.get(one, ())


def _swap(siblings: list[str], wanted: str, step: int) -> None:
    if wanted not in siblings:
        return
    here = siblings.index(wanted)
    there = here + step
    if 0 <= there < len(siblings):
        siblings[here], siblings[there] = siblings[there], siblings[here]
