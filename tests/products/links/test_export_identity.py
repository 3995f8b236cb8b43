"""What is exported is imported as it was, whatever stands in it: in CSV and in JSON, here and elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.store.db import Connection
from analytics_box.products.links.bulk import cells
from analytics_box.query import sheets
from tests.examples import examples
from tests.inprocess import KeyName, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import DOMAIN, World

NASTY = "=+-@'\"\\;,|\t\n{}[]%<>&#:/ \u2028\u00a0\uff1dÄßé漢字ع😀👩\u200d🚀abc012"
NOT_IN_BOTH = {"id", "organizationId", "createdBy", "createdAt", "updatedAt", "folderId", "shortUrl"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    path: Path = tmp_path_factory.mktemp("identity") / "data"
    with whole_box(path, adjust=unlimited) as box:
        world = World(box)
        world.link_domain()
        yield world


def text(most: int, without: str = "") -> st.SearchStrategy[str]:
    """Text that a field may have, of what files of any kind stumble over."""
    alphabet = [letter for letter in NASTY if letter not in without]
    return st.text(st.sampled_from(alphabet), min_size=1, max_size=most).filter(lambda given: bool(given.strip()))


def identity(given: dict[str, Any]) -> str:
    """What an import knows a link by: rows of one external id are one link."""
    return str(given.get("externalId") or given["name"]).strip()


words = text(30, without="\t")
urls = st.sampled_from(
    [
        "https://example.com/",
        'https://example.com/a;b,c?x=%22&y=\'&z=[1]|2#=sum("a")',
        "https://example.com/ä/漢字?q=😀#Ünicode",
        "http://example.org:8080/-+@=",
    ]
)
conditions = st.fixed_dictionaries(
    {"property": st.sampled_from(["country", "city"]), "operator": st.just("in")},
    optional={"value": text(20)},
).map(lambda given: given | {"values": [given.get("value", "x"), "=1", "'"]})
variants = st.lists(text(10), min_size=2, max_size=3, unique=True).flatmap(
    lambda names: st.tuples(
        *(
            st.fixed_dictionaries({"name": st.just(name), "targetUrl": urls, "weight": st.integers(1, 1000)})
            for name in names
        )
    )
)
links = st.lists(
    st.fixed_dictionaries(
        {"name": words, "targetUrl": urls},
        optional={
            "slug": st.text(st.sampled_from("-_aZ09"), min_size=3, max_size=50),
            "domain": st.sampled_from(["", DOMAIN]),
            "folder": st.sampled_from(["=News", "'Print'", "a;b", 'Ä "quoted", 😀', "-"]),
            "targetDomain": st.sampled_from(["=other.example", "example.com"]),
            "tags": st.lists(words, max_size=4),
            "externalId": words,
            "expiresAt": st.datetimes()
            .filter(lambda day: 1980 < day.year < 2999)
            .map(lambda day: f"{day.isoformat()}Z"),
            "expiredRedirectUrl": urls,
            "maxClicks": st.integers(1, 1_000_000_000),
            "redirectStatus": st.sampled_from([301, 302, 307, 308]),
            "queryForwarding": st.sampled_from(["none", "keep", "override"]),
            "utm": st.fixed_dictionaries(
                {},
                optional={name: text(12, without="\t") for name in ("source", "medium", "campaign", "term", "content")},
            ),
            "ogTitle": words,
            "ogDescription": words,
            "ogImageUrl": urls,
            "ogVideoUrl": urls,
            "iosUrl": urls,
            "androidUrl": urls,
            "deepLinkApp": st.sampled_from(["youtube", "x"]),
            "sourceType": words,
            "sourceId": words,
            "sourceOwnerId": words,
            "rules": st.lists(
                st.fixed_dictionaries(
                    {"name": text(10), "targetUrl": urls, "conditions": st.lists(conditions, min_size=1, max_size=2)}
                ),
                max_size=2,
            ),
            "variants": variants,
        },
    ),
    min_size=1,
    max_size=3,
    unique_by=(identity, lambda given: given.get("slug", given["name"])),
)


def empty(db: Connection) -> None:
    for table in ("links", "link_folders"):
        db.execute(f"delete from {table}")


def stored(world: World, key: KeyName) -> list[dict[str, Any]]:
    """All links in their order, by what an export carries."""
    names = {one["id"]: one["name"] for one in world.call("linkFolders.list", key=key).json}
    found = world.call("links.paginated", key=key, sort="oldest", limit=100).json["items"]
    return [
        {name: value for name, value in link.items() if name not in NOT_IN_BOTH}
        | {"folder": names.get(link["folderId"])}
        for link in found
    ]


@examples(150, unchecked=HealthCheck)
@given(links, st.sampled_from(["csv", "json"]), st.sampled_from(["linking", "foreign"]))
def test_exported_links_are_imported_unchanged(
    world: World, wanted: list[dict[str, Any]], form: Literal["csv", "json"], into: KeyName
) -> None:
    world.box.box.box_db.write_now(empty)
    ids: dict[str, str] = {}
    for one in wanted:
        folder = one.pop("folder", None)
        if folder is not None:
            if folder not in ids:
                ids[folder] = world.call("linkFolders.create", name=folder).json["id"]
            one["folderId"] = ids[folder]
        if into == "foreign":  # which has no domain
            one.pop("domain", None)
        made = world.call("links.create", **one)
        assert made.status == 200, made.body
    before = stored(world, "linking")
    assert len(before) == len(wanted)
    content = world.call("links.export", format=form).json["content"]
    again = world.call("links.import", content=content, format=form)
    assert (again.json["unchanged"] + again.json["failed"], again.json["updated"]) == (len(wanted), 0), again.body
    world.box.box.box_db.write_now(empty)
    back = world.call("links.import", key=into, content=content, format=form)
    assert (back.json["created"], back.json["ignoredColumns"]) == (len(wanted), []), back.body
    assert stored(world, into) == before
    assert world.call("links.export", key=into, format=form).json["content"].count("\n") == content.count("\n")


@examples(500)
@given(st.text(st.sampled_from(NASTY)))
def test_a_cell_is_read_as_it_was_written(value: str) -> None:
    written = sheets.cell(cells.quote_cell(value))
    assert cells.plain(written) == value
    assert not written.startswith(sheets.FORMULA)


@examples(500)
@given(st.lists(st.text(st.sampled_from("\\;'= ab"), min_size=1).map(str.strip).filter(bool)))
def test_tags_in_one_cell_are_read_as_they_were_written(tags: list[str]) -> None:
    assert cells.split(cells.join_tags(tags)) == tags


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ("a;b", ["a", "b"]),
        (" a ; ;b;", ["a", "b"]),
        (r"C:\new", [r"C:\new"]),
        (r"a\;b;c", ["a;b", "c"]),
        ("", []),
        ("\\", ["\\"]),
    ],
)
def test_tags_with_special_characters_survive_an_export(cell: str, tags: list[str]) -> None:
    assert cells.split(cell) == tags


@pytest.mark.parametrize(
    ("cell", "value"),
    [("'=1", "=1"), ("'tis", "'tis"), ("'", "'"), ("''tis", "'tis"), ("=1", "=1"), ("''=1", "'=1"), ("'\t1", "\t1")],
)
def test_cells_with_special_characters_survive_an_export(cell: str, value: str) -> None:
    assert cells.plain(cell) == value
