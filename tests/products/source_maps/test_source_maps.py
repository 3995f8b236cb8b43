"""Source maps: reading them, uploading them, and stacks with the original places.

`bundled/` is what esbuild makes of shop.ts and cart.ts: `esbuild shop.ts --bundle --minify --sourcemap`.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.products.source_maps.mappings import OriginalPosition, find_positions, pack, shown_path
from tests.cases import each
from tests.inprocess import Answer, KeyName, WholeBox, whole_box
from tests.products.errors.test_pages import fingerprint, page, send

BUNDLED: Final = Path(__file__).parent / "bundled"
MAP: Final = (BUNDLED / "shop.js.map").read_text()
# As V8 wrote them for an order without items, and for one whose items are null.
CHROME: Final = """TypeError: e is not iterable
    at n (https://shop.example/assets/shop.js?v=3:1:42)
    at Object.u [as placeOrder] (https://shop.example/assets/shop.js?v=3:1:128)
    at https://cdn.example/vendor.js:1:9"""
FIREFOX: Final = """n@https://shop.example/assets/shop.js:1:42
u@https://shop.example/assets/shop.js:1:128"""
ORIGINAL: Final = {
    CHROME: ("at total (cart.ts:5:22)", "at Object.u [as placeOrder] (shop.ts:6:18)", "vendor.js:1:9"),
    FIREFOX: ("at total (cart.ts:5:22)", "at u (shop.ts:6:18)"),
}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def upload(box: WholeBox, content: str = MAP, *, key: KeyName = "all", **more: Any) -> Answer:
    given = {"websiteId": box.sites["shop"], "script": "/assets/shop.js", "content": content, **more}
    return box.post("/sourceMaps/upload", given, key=key)


def listed(box: WholeBox) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        box.post("/sourceMaps/list", {"websiteId": box.sites["shop"]}, key="all").body
    )
    return rows


def shown(box: WholeBox) -> str:
    return page(box, f"/{fingerprint(box)}?range=last_7d").body.decode()


def source_map(**more: Any) -> bytes:
    return json.dumps({"version": 3, "sources": ["a.js"], "names": [], "mappings": "AAAA", **more}).encode()


def test_place_in_a_bundle_is_found_in_its_source() -> None:
    parts = pack(MAP.encode())
    script = (BUNDLED / "shop.js").read_text()
    wanted = {script.index(text): None for text in ("o(t)", "new RangeError", "e.price")}
    found = find_positions(parts, [(0, column) for column in wanted])
    assert found == {
        (0, script.index("o(t)")): OriginalPosition("cart.ts", 5, 40, "lineTotal"),
        (0, script.index("new RangeError")): OriginalPosition("shop.ts", 7, 26, ""),
        (0, script.index("e.price")): OriginalPosition("cart.ts", 10, 10, "item"),
    }


def test_source_code_in_a_map_is_not_kept() -> None:
    assert "valueOf" in MAP
    assert b"valueOf" not in zlib.decompress(pack(MAP.encode()))


def test_index_map_answers_for_each_of_its_parts() -> None:
    plain = json.loads(MAP)
    sections = [
        {"offset": {"line": 0, "column": 100}, "map": plain},
        {"offset": {"line": 2, "column": 0}, "map": plain | {"sources": ["c.ts", "d.ts"], "sourceRoot": "src/"}},
    ]
    parts = pack(json.dumps({"version": 3, "sections": sections}).encode())
    found = find_positions(parts, [(0, 41), (0, 141), (2, 41), (5, 0)])
    assert {place: one.source for place, one in found.items()} == {(0, 141): "cart.ts", (2, 41): "src/c.ts"}
    assert found[0, 141].line == found[2, 41].line == 5


@each(
    ("content",),
    [
        (b"",),
        (b"{",),
        (b"[" * 200_000,),
        (b"\xff\xfe",),
        (source_map(version=2),),
        (source_map(mappings="!"),),
        (source_map(mappings="gggggggggggg"),),
        (source_map(mappings="g"),),
        (source_map(mappings="AA"),),
        (source_map(mappings="A" * 200),),
        (source_map(mappings=7),),
        (source_map(mappings=";" * 500_001),),
        (source_map(sources="a"),),
        (source_map(names=["a"] * 300_002),),
        (source_map(sources=["a"] * 50_002),),
        (json.dumps({"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "url": "a"}]}).encode(),),
        (
            b'{"version":3,"sections":[%s]}'
            % b",".join([b'{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[]}}'] * 3),
        ),
        (
            b'{"version":3,"sections":[%s]}'
            % b",".join([b'{"offset":{"line":0,"column":0},"map":%s}' % source_map()] * 1_001),
        ),
    ],
)
def test_broken_map_is_refused(content: bytes) -> None:
    with pytest.raises(BadRequest):
        pack(content)


def test_positions_outside_of_the_sources_are_left_out() -> None:
    for mappings in ("AAAA,ECAA", "AADA", "AAAD", "A"):
        parts = pack(source_map(mappings=mappings))
        assert (0, 9) not in find_positions(parts, [(0, 9)])


@each(
    ("source", "expected"),
    [
        ("webpack:///./src/shop.ts?a1b2", "src/shop.ts"),
        ("webpack://shop/../node_modules/react/index.js", "node_modules/react/index.js"),
        ("../../src/shop.ts", "src/shop.ts"),
        ("/src/shop.ts", "src/shop.ts"),
        ("shop.ts", "shop.ts"),
    ],
)
def test_path_of_a_source_is_without_what_bundlers_add(source: str, expected: str) -> None:
    assert shown_path(source) == expected


@pytest.mark.parametrize("stack", [CHROME, FIREFOX], ids=["Chrome", "Firefox"])
def test_stack_has_original_places_and_the_bundled_ones_behind_a_click(box: WholeBox, stack: str) -> None:
    send(box, "ann", stack=stack)
    before = shown(box)
    assert "Upload source maps" in before
    assert "cart.ts" not in before
    assert upload(box).status == 200
    text = shown(box)
    assert all(line in text for line in ORIGINAL[stack])
    original, _, bundled = text.partition("Bundled stack")
    assert "shop.js" not in original[original.index("Latest stack") :]
    assert "/assets/shop.js" in bundled
    assert "Upload source maps" not in text


def test_map_of_a_release_is_used_for_no_other_one(box: WholeBox) -> None:
    send(box, "ann", stack=FIREFOX, release="2")
    upload(box, release="1")
    assert "cart.ts" not in shown(box)
    upload(box, release="2")
    assert "cart.ts" in shown(box)


def test_longer_path_and_own_release_win(box: WholeBox) -> None:
    def named(name: str) -> str:
        return json.dumps(json.loads(MAP) | {"sources": [f"{name}.ts", "shop.ts"]})

    send(box, "ann", stack=FIREFOX, release="2")
    for script, release in (("shop.js", ""), ("https://shop.example/assets/shop.js", ""), ("shop.js", "2")):
        upload(box, named(f"{len(script)}-{release}"), script=script, release=release)
        assert f"{len(script)}-{release}.ts" in shown(box)


def test_new_map_replaces_that_of_the_same_script_and_release(box: WholeBox) -> None:
    upload(box)
    upload(box, json.dumps(json.loads(MAP) | {"sources": ["new.ts", "shop.ts"]}))
    send(box, "ann", stack=FIREFOX)
    assert len(listed(box)) == 1
    assert "new.ts" in shown(box)


def test_oldest_maps_make_room_for_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with whole_box(tmp_path / "data") as box:
        first = json.loads(upload(box, script="1.js").body)["size"]
        monkeypatch.setattr("analytics_box.products.source_maps.source_map.MOST_MAPS", 2)
        for number in (2, 3):
            box.clock.advance(seconds=1)
            assert upload(box, script=f"{number}.js").status == 200
        assert [one["script"] for one in listed(box)] == ["3.js", "2.js"]
        contents = box.box.box_db.read_now(lambda db: db.execute("select count(*) from source_map_contents").fetchone())
        assert contents == (2,)
        assert first < 1_000


def test_maps_of_other_organizations_cannot_be_seen_changed_or_used(box: WholeBox) -> None:
    stored = json.loads(upload(box).body)
    assert upload(box, key="foreign").status == 404
    assert upload(box, key="reading").status == 403
    assert box.post("/sourceMaps/list", {"websiteId": box.sites["shop"]}, key="foreign").status == 404
    assert box.post("/sourceMaps/delete", {"id": stored["id"]}, key="foreign").status == 404
    assert (
        box.post("/sourceMaps/deleteRelease", {"websiteId": box.sites["shop"], "release": ""}, key="foreign").status
        == 404
    )
    assert box.post("/sourceMaps/delete", {"id": stored["id"]}, key="reading").status == 403
    assert [one["id"] for one in listed(box)] == [stored["id"]]


def test_deleted_map_changes_the_stack_back(box: WholeBox) -> None:
    send(box, "ann", stack=FIREFOX)
    for path, more in (("delete", "id"), ("deleteRelease", "release")):
        stored = json.loads(upload(box).body)
        given = {"id": stored["id"]} if more == "id" else {"websiteId": box.sites["shop"], "release": ""}
        assert "cart.ts" in shown(box)
        assert box.post(f"/sourceMaps/{path}", given, key="all").status == 200
        assert "cart.ts" not in shown(box)


def test_group_keeps_its_fingerprint_when_a_map_comes(box: WholeBox) -> None:
    send(box, "ann", stack=FIREFOX)
    before = fingerprint(box)
    upload(box)
    send(box, "bob", stack=FIREFOX)
    assert fingerprint(box) == before


def form(box: WholeBox, path: str, content: str = MAP) -> int:
    """The status of a posted form with a map."""
    parts = {"script": "/assets/shop.js", "release": "1", "content": content}
    sent = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="a"\r\n\r\n{value}\r\n'
        for name, value in parts.items()
    )
    headers = {
        "content_type": "multipart/form-data; boundary=x",
        "sec_fetch_site": "same-origin",
        "accept": "text/html",
    }
    body = f"{sent}--x--\r\n".encode()
    return box.ask("POST", path, headers={**headers, "cookie": box.cookie}, body=body).status


def test_members_upload_and_delete_on_the_page_and_viewers_only_see_it(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}/source-maps"
    assert form(box, home, "no map") == 400
    assert form(box, home) == 303
    (stored,) = listed(box)
    text = box.get(home, cookie=box.cookie, accept="text/html").body.decode()
    assert "assets/shop.js" in text
    assert f'action="{home}/{stored["id"]}/delete"' in text
    box.run(box.box.box_db.write(lambda db: db.execute("update members set role = 'viewer'").fetchall()))
    box.reopen()
    text = box.get(home, cookie=box.cookie, accept="text/html").body.decode()
    assert "assets/shop.js" in text
    assert f'action="{home}' not in text
    for path in (home, f"{home}/delete", f"{home}/{stored['id']}/delete"):
        assert form(box, path) == 403
    assert len(listed(box)) == 1
