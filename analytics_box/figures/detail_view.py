"""The parameters in the address of a list's table, in addition to those of every page of figures.

q=blog (rows with this in their names)      sort=bounce_rate      order=asc      page=2
"""

from collections.abc import Mapping

from msgspec import Struct

LONGEST_SEARCH = 200  # characters
LAST_PAGE = 10_000


class TableState(Struct, frozen=True):
    """A state of the table: what is searched, and how its rows stand: without `sort` as the list has them."""

    search: str = ""
    sort: str = ""
    ascending: bool = False
    page: int = 1


def read_detail(query: Mapping[str, str]) -> TableState:
    """The state that an address asks for. Never raises."""
    sort, number = query.get("sort", "")[:64], query.get("page", "")
    return TableState(
        search=query.get("q", "").strip()[:LONGEST_SEARCH],
        sort=sort,
        ascending=bool(sort) and query.get("order") == "asc",
        page=min(max(1, int(number)), LAST_PAGE) if number.isascii() and number.isdigit() and len(number) < 9 else 1,
    )


def detail_parameters(detail: TableState) -> dict[str, str]:
    """The parameters of its address, empty if they are the usual."""
    return {
        "q": detail.search,
        "sort": detail.sort,
        "order": "asc" if detail.ascending else "",
        "page": str(detail.page) if detail.page > 1 else "",
    }
