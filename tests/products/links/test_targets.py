"""Where a link may not lead, and what a good address becomes (security: redirects)."""

from itertools import product
from typing import Any

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.products.links.targeting.policy import TargetPolicy, clean, looks_like_another
from tests.cases import each
from tests.products.links.world import World

POLICY = TargetPolicy(
    fence=Fence(),
    own_hosts=frozenset(["stats.example.com"]),
    link_domains=frozenset(["go.example.org"]),
    app_schemes=("myapp", "javascript"),
)

HOSTILE = (
    # other schemes
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "  javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "ftp://example.com/",
    "blob:https://example.com/1",
    "view-source:https://example.com",
    "about:blank",
    "mailto:a@example.com",
    "intent://example.com#Intent;scheme=https;end",
    "myapp://open",
    "ws://example.com/",
    # no address
    "",
    "/relative",
    "//example.com/",
    "example.com",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https://",
    "https://?q",
    "http:\\\\example.com",
    "https://example.com\\@evil.example",
    "https://exa mple.com/",
    "https://example.com:99999/",
    "https://example.com:0/",
    "https://example.com:port/",
    # users and passwords
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://example.com@evil.example/",
    "https://example.com%40evil.example/",
    # private places
    "http://localhost/",
    "http://LOCALHOST:8000/",
    "http://app.localhost/",
    "http://printer/",
    "http://printer.local/",
    "http://db.internal/",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://hidden.onion/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[::1/",
    # other short links
    "https://go.example.org/abc",
    "https://GO.EXAMPLE.ORG/",
    "https://go.example.org:443/abc",
    "https://go.example.org./abc",
    "https://stats.example.com/l/abc",
    "https://stats.example.com:8000/l/",
    "https://stats.example.com/%6C/abc",
    "https://stats.example.com/%6c%2Fabc",
    "https://stats.example.com//l/abc",
    "https://stats.example.com/x/../l/abc",
    "https://stats.example.com/./l/abc?x",
    "https://stats.example.com/x/%2e%2e/l/abc",
    # what is not seen
    "https://example.com/\u202egnp.exe",
    "https://exam\u200dple.com/",
    "https://example.com/\x00",
    "https://example.com/\r\nSet-Cookie: a=b",
    "https://example.com/\u2028",
    "https://example\u00ad.com/",
    "https://example.com/#\u2067x",
    # domains that look like others
    "https://\u0430\u0440\u0440\u04cf\u0435.com/",  # all Cyrillic
    "https://xn--80ak6aa92e.com/",  # the same in punycode
    "https://p\u0430ypal.com/",
    "https://faceboo\u043a.com/",
    "https://g\u03bf\u03bfgle.com/",
    "https://example.com\u2044path.evil.example/",
    "https://example.com\uff0fevil.example/",
    # mail and the like
    "https://203.0.113.7:25/",
    "https://example.com/" + "a" * 2_048,
    "https://" + "a" * 64 + ".example/",
    "https://a..example/",
    "https://-a.example/",
)

GOOD = {
    "https://example.com": "https://example.com/",
    "HTTPS://Example.COM:443/A?b=c#D": "https://example.com/A?b=c#D",
    "http://example.com:8080/": "http://example.com:8080/",
    "  https://example.com/a b  ".replace("a b", "a%20b"): "https://example.com/a%20b",
    "https://example.com/ü?q=ä#ö": "https://example.com/%C3%BC?q=%C3%A4#%C3%B6",
    "https://bücher.example/": "https://xn--bcher-kva.example/",
    "https://日本語.jp/": "https://xn--wgv71a119e.jp/",
    "https://москва.рф/": "https://xn--80adxhks.xn--p1ai/",
    "https://example.com/#/route?x=1": "https://example.com/#/route?x=1",
    "https://stats.example.com/sites": "https://stats.example.com/sites",
    "https://8.8.8.8/": "https://8.8.8.8/",
    "https://[2606:4700::1111]/": "https://[2606:4700::1111]/",
    "https://example.com/?url=javascript:alert(1)": "https://example.com/?url=javascript:alert(1)",
}


@each("address", HOSTILE)
def test_a_hostile_address_is_refused_with_a_word_about_it(address: str) -> None:
    with pytest.raises(BadRequest) as refused:
        clean(address, POLICY, field="targetUrl")
    (detail,) = refused.value.details
    assert detail.field == "targetUrl"
    assert len(detail.message) > 15
    assert address in {"", "example.com", "//example.com/"} or address not in detail.message


@pytest.mark.parametrize(("address", "cleaned"), GOOD.items())
def test_a_good_address_has_one_spelling(address: str, cleaned: str) -> None:
    assert clean(address, POLICY, field="targetUrl") == cleaned
    assert clean(cleaned, POLICY, field="targetUrl") == cleaned
    assert cleaned.isascii()


def test_apps_open_on_phones_only_where_the_operator_allows_their_scheme() -> None:
    assert clean("myapp://open?x=1", POLICY, field="iosUrl", app=True) == "myapp://open?x=1"
    for address in ("otherapp://open", "myapp://a b", "myapp:", 'myapp://"><script>', "javascript:alert(1)"):
        with pytest.raises(BadRequest):
            clean(address, POLICY, field="iosUrl", app=True)


@pytest.mark.parametrize(
    "host", ["example.com", "bücher.de", "ελλάδα.gr", "пример.com", "日本ラーメン.jp", "한국.kr", "xn--p1ai"]
)
def test_domains_in_other_scripts_are_welcome(host: str) -> None:
    assert not looks_like_another(host)


FIELDS = ("targetUrl", "expiredRedirectUrl", "ogImageUrl", "ogVideoUrl", "iosUrl", "androidUrl")


@each(
    ("field", "address"),
    product(
        [*FIELDS, "rules", "variants"],
        ["javascript:alert(1)", "https://a@b.example/", "http://127.0.0.1/", "//evil.example"],
    ),
)
def test_every_field_of_a_link_that_is_an_address_is_looked_at(world: World, field: str, address: str) -> None:
    condition = {"property": "device", "operator": "equals", "value": "mobile"}
    value: object = address
    if field == "rules":
        value = [{"name": "r", "targetUrl": address, "conditions": [condition]}]
    elif field == "variants":
        value = [{"name": name, "targetUrl": address, "weight": 1} for name in "ab"]
    given: dict[str, Any] = {"name": "Bad", "targetUrl": "https://example.com/"} | {field: value}
    answer = world.call("links.create", **given)
    assert answer.status == 400
    assert answer.json["code"] == "BAD_REQUEST"
    assert answer.json["details"][0]["field"].startswith(field)
    made = world.link()
    more: dict[str, Any] = {"id": made["id"], field: value}
    changed = world.call("links.update", **more)
    assert changed.status == 400
    assert world.call("links.get", id=made["id"]).json == made
