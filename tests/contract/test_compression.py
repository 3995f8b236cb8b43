"""What is sent in fewer bytes, what never is, and how little the first look at an overview takes."""

import gzip
import re

import pytest

from analytics_box.figures import page as dashboard
from analytics_box.web import compression
from tests.inprocess import EMAIL, Answer, WholeBox

QUERY = {"parameters": ["top_pages", "country", "browser_name", "summary_metrics"], "preset": "last_30d"}


def plain(answer: Answer) -> bytes:
    """What an answer says."""
    return gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body


def page(box: WholeBox, target: str, site: str = "none", **headers: str) -> Answer:
    """A page as a browser asks for it; `site` is who made it ask."""
    given = {"cookie": box.cookie, "accept_encoding": "gzip, deflate, br, zstd", "sec_fetch_site": site, **headers}
    return box.get(target, **given)


def overview(box: WholeBox) -> str:
    return f"/sites/{box.sites['shop']}"


@pytest.mark.parametrize("path", ["/script.js", "/static/app.css", "/static/icons.svg", "/parts.js"])
def test_files_are_compressed_for_who_takes_it(box: WholeBox, path: str) -> None:
    whole, packed = box.get(path), box.get(path, accept_encoding="gzip")
    assert "content-encoding" not in whole.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain(packed) == whole.body
    assert len(packed.body) < len(whole.body)
    assert packed.headers["content-type"] == whole.headers["content-type"]
    assert packed.headers["vary"] == whole.headers["vary"] == "accept-encoding"
    assert packed.headers["etag"] != whole.headers["etag"], "they are not the same bytes"
    for found in (whole, packed):
        coding = found.headers.get("content-encoding", "")
        again = box.get(path, accept_encoding=coding, if_none_match=found.headers["etag"])
        assert (again.status, again.body) == (304, b"")


def test_with_brotli_installed_files_are_smaller_still(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compression._PACK, "br", lambda content: b"small")
    answer = box.get("/static/forms.css", accept_encoding="gzip, br")
    assert (answer.headers["content-encoding"], answer.body) == ("br", b"small")
    compression.compress_file.cache_clear()


def test_the_script_is_at_most_1500_bytes_as_sent(box: WholeBox) -> None:
    assert len(box.get("/script.js", accept_encoding="gzip").body) <= 1_500


@pytest.mark.parametrize("header", ["", "identity", "gzip;q=0", "gzip; q=0.0", "deflate", "x-gzip"])
def test_client_without_gzip_gets_an_uncompressed_answer(box: WholeBox, header: str) -> None:
    for target in ("/script.js", "/docs", overview(box)):
        assert "content-encoding" not in page(box, target, accept_encoding=header).headers


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_a_page_is_compressed_when_no_other_site_made_the_browser_ask(box: WholeBox, site: str) -> None:
    whole, packed = page(box, overview(box), site, accept_encoding=""), page(box, overview(box), site)
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) * 3 < len(whole.body)
    assert plain(packed).count(b"<") == whole.body.count(b"<")
    assert packed.headers["content-length"] == str(len(packed.body))
    assert packed.headers["vary"] == "accept-encoding"
    assert packed.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/monitors", "/flags", "/status-pages"])
def test_lists_are_compressed_and_what_stands_below_them_is_not(box: WholeBox, path: str) -> None:
    assert page(box, path).headers["content-encoding"] == "gzip"
    below = page(box, f"{path}/new")
    assert (below.status, "content-encoding" in below.headers) == (200, False)


@pytest.mark.parametrize("site", ["cross-site", "same-site", ""])
def test_answer_to_a_cookie_of_a_cross_site_request_is_not_compressed(box: WholeBox, site: str) -> None:
    for target in (overview(box), "/sites", "/links"):
        answer = page(box, target, site)
        assert answer.status == 200
        assert "content-encoding" not in answer.headers
    headers = {"cookie": box.cookie, "accept_encoding": "gzip", "sec_fetch_site": site}
    assert "content-encoding" not in box.get("/v1/query/types", **headers).headers


@pytest.mark.parametrize(
    "path",
    ["/settings/security", "/settings/api-keys", "/settings/members", "/settings/integrations", "/sign-in", "/setup"],
)
def test_pages_that_may_show_a_secret_are_never_compressed(box: WholeBox, path: str) -> None:
    assert "content-encoding" not in page(box, path, "same-origin").headers


def test_answers_to_forms_and_procedures_are_never_compressed(box: WholeBox) -> None:
    given = {"accept_encoding": "gzip", "sec_fetch_site": "same-origin", "cookie": box.cookie}
    form = b"email=" + EMAIL.encode() + b"&password=wrong"
    kind = {"content_type": "application/x-www-form-urlencoded"}
    refused = box.ask("POST", "/sign-in", headers=given | kind, body=form)
    assert (refused.status, "content-encoding" in refused.headers) == (401, False)
    kind = {"content_type": "application/json"}
    listed = box.ask("POST", "/rpc/apikeys/list", headers=given | kind, body=b'{"json":{}}')
    assert (listed.status, "content-encoding" in listed.headers) == (200, False)


def test_answers_to_queries_are_compressed_for_keys_and_strangers(box: WholeBox) -> None:
    target = f"/v1/query?website_id={box.sites['shop']}"
    whole = box.post(target, QUERY, key="all")
    packed = box.post(target, QUERY, key="all", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(plain(packed)) == len(whole.body)
    types = box.get("/v1/query/types", accept_encoding="gzip")
    assert types.headers["content-encoding"] == "gzip"
    document = box.get("/openapi.json", accept_encoding="gzip")
    assert plain(document) == box.get("/openapi.json").body
    assert len(document.body) < len(plain(document)) / 5
    assert len(plain(types)) == len(box.get("/v1/query/types").body)


def test_short_answers_and_refusals_are_sent_as_they_are(box: WholeBox) -> None:
    assert box.get("/health", accept_encoding="gzip").body == b'{"status":"ok"}'
    refused = box.post("/v1/query", {}, accept_encoding="gzip")
    assert refused.status >= 400
    assert "content-encoding" not in refused.headers


FIRST_LOOK = 68_000  # bytes


@pytest.mark.parametrize("late", [True, False])
def test_the_first_look_at_an_overview_is_small(box: WholeBox, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    for name in ("BUDGET_SECONDS", "NEXT_SECONDS"):
        monkeypatch.setattr(dashboard, name, 0 if late else 60)
    for number in range(60):
        visit = {
            "name": "screen_view",
            "path": f"https://shop.example/page-{number}",
            "anonymousId": f"visitor {number}",
        }
        visit["referrer"] = f"https://place-{number}.example/"
        assert box.post(f"/?client_id={box.sites['shop']}", visit).status == 200
    first = page(box, overview(box))
    html = plain(first).decode()
    assert "page-1" in plain(page(box, f"{overview(box)}?wait=all")).decode()  # else lists may come late
    files = set(re.findall(r'(?:href|src)="(/static/[^"#]+)', html))
    scripts = [box.get(file).body.decode() for file in files if "/js/" in file]
    files |= {f"/static/js/{name}" for script in scripts for name in re.findall(r'^import .+"\./(.+)"', script, re.M)}
    at_once = re.sub(r'<details class="more-panels".*?</details>', "", html, flags=re.DOTALL)
    parts = set(re.findall(r'data-late="([^"]+)"', at_once))
    assert len(files) > 5
    assert bool(parts) == late
    assert all("?v=" in file for file in files), "what has a hash in its address is kept for ever"
    sizes = {target: len(page(box, target.replace("&amp;", "&"), "same-origin").body) for target in files | parts}
    assert len(first.body) + sum(sizes.values()) <= FIRST_LOOK, sizes
