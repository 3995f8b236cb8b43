"""Options of a share link: what it shows, since when, how it looks, and how often it was opened."""

import base64
import re
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.products.shares.branding import contrast, stylesheet
from analytics_box.products.shares.served import SharedPages
from analytics_box.tenants.organizations import logos
from analytics_box.tenants.organizations.image import Picture
from tests.inprocess import WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, visitors
from tests.products.shares.test_dashboards import call, open_link, seen, share
from tests.tenants.organizations.pictures import PNG

DAY = "2026-01-01"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("shares")) as made:
        yield made


@pytest.fixture(autouse=True)
def _rested(box: WholeBox) -> None:
    box.clock.advance(seconds=60)


def goal(box: WholeBox, name: str) -> Any:
    given = {"websiteId": box.sites["shop"], "name": name, "type": "PAGE_VIEW", "target": "/docs"}
    return call(box, "goals.create", **given)


ALL = ["sources", "pages", "places", "devices", "events", "goals"]
OF_PANEL = {
    "sources": ("sources", "referrer"),
    "pages": ("pages", "path"),
    "places": ("countries", "country"),
    "devices": ("browsers", "browser_name"),
    "events": ("events", "event"),
}


@pytest.mark.parametrize("left_out", OF_PANEL)
def test_panel_that_was_not_chosen_is_on_no_page_of_the_link(box: WholeBox, left_out: str) -> None:
    url = share(box, panels=[name for name in ALL if name != left_out])["url"]
    panel, field = OF_PANEL[left_out]
    page = seen(box, url)
    assert f'id="panel-{panel}"' not in page
    for part in (f"/parts/{panel}", f"/details/{panel}", f"/details/{panel}/csv"):
        assert open_link(box, url, "?range=today", part).status == 404, part
    export = open_link(box, url, "?range=today", "/export/json")
    assert export.status == 200
    assert panel not in export.json
    assert visitors(seen(box, url, f"?range=today&wait=all&{field}=nowhere")) == len(PEOPLE)


def test_events_and_goals_are_shown_only_if_they_are_chosen(box: WholeBox) -> None:
    goal(box, "Read the docs")
    usual, chosen = share(box)["url"], share(box, panels=["events", "goals"])["url"]
    assert "Read the docs" not in seen(box, usual)
    assert open_link(box, usual, "?range=today", "/parts/goals").status == 404
    page = seen(box, chosen)
    assert "Read the docs" in page
    assert "/goals" not in page
    assert 'id="panel-events"' in page
    assert "greeted" in page
    assert "page_properties" not in page
    assert open_link(box, chosen, "?range=today", "/details/page_properties").status == 404


def test_link_without_panels_shows_totals_and_the_chart(box: WholeBox) -> None:
    page = seen(box, share(box, panels=[])["url"])
    assert visitors(page) == len(PEOPLE)
    assert 'id="panel-' not in page


def test_tables_and_files_of_a_link_have_its_rows(box: WholeBox) -> None:
    url = share(box)["url"]
    page = seen(box, url, "?range=today", "/details/pages")
    assert "/docs" in page
    assert "Back to" in page
    rows = open_link(box, url, "?range=today", "/details/pages/json").json["rows"]
    assert "/docs" in {row["path"] for row in rows}
    assert open_link(box, url, "?range=today", "/export/csv").body[:2] == b"PK"
    for unknown in ("/details/errors", "/details/flags", "/details/links", "/export/xlsx", "/details/pages/xml"):
        assert open_link(box, url, "?range=today", unknown).status == 404, unknown


def test_tables_and_files_of_a_protected_link_need_its_password(box: WholeBox) -> None:
    url = share(box, password="open sesame")["url"]
    for part in ("/details/pages", "/details/pages/csv", "/export/json", "/parts/pages"):
        assert open_link(box, url, "?range=today", part).status == 403, part


def today(box: WholeBox) -> str:
    return str(open_link(box, share(box)["url"], "?range=today", "/export/json").json["startDate"])


@pytest.mark.parametrize(
    "query",
    [
        "?range=all",
        "?range=last_30d",
        "?range=last_12m",
        "?range=custom&from=2020-01-01&to=2020-02-01",
        "?range=today&zone=Pacific/Kiritimati",
        "?range=today&zone=Pacific/Pago_Pago",
        "?range=last_7d&compare=year",
        "?range=tomorrow&compare=own&cfrom=2000-01-01&cto=2099-01-01",
    ],
)
def test_no_address_shows_anything_from_before_the_earliest_date(box: WholeBox, query: str) -> None:
    tomorrow = "2100-12-31"
    url = share(box, earliestDate=tomorrow)["url"]
    page = seen(box, f"{url}", f"{query}&wait=all")
    assert visitors(page) == 0
    assert "/docs" not in page.replace("/docs/definitions", "").replace('href="/docs', "")
    answer = open_link(box, url, query, "/export/json")
    assert answer.status == 200
    assert answer.json["startDate"] == tomorrow or answer.json["startDate"] == "2101-01-01"
    assert not any(answer.json[name] for name in ("pages", "sources", "countries"))
    assert open_link(box, url, query, "/details/pages/json").json["rows"] == []


def test_days_from_the_earliest_date_on_are_shown_and_compared_with_nothing_before(box: WholeBox) -> None:
    day = today(box)
    url = share(box, earliestDate=day)["url"]
    page = seen(box, url, "?range=last_7d&wait=all")
    assert visitors(page) == len(PEOPLE)
    assert "No data before" in page
    answer = open_link(box, url, "?range=last_7d", "/export/json").json
    assert answer["startDate"] == day


def test_look_of_a_link_is_its_title_color_and_logo(box: WholeBox) -> None:
    made = share(box, title="Acme <b>in</b> numbers", accent="#FF8800", showsLogo=True)
    page = seen(box, made["url"])
    assert "Acme &lt;b&gt;in&lt;/b&gt; numbers" in page
    assert f"/share/{made['slug']}/colors.css?v=ff8800" in page
    assert f"/share/{made['slug']}/logo" not in page, "there is no logo yet"
    assert "light-dark(" in seen(box, made["url"], "", "/colors.css")
    plain = share(box)["url"]
    assert open_link(box, plain, "", "/colors.css").status == 404
    assert open_link(box, plain, "", "/logo").status == 404


def test_logo_of_the_organization_is_shown_by_links_that_ask_for_it(box: WholeBox) -> None:
    box.box.box_db.write_now(
        lambda db: logos.replace(
            db, box.organization_id, digest="0" * 32, picture=Picture("image/png", PNG), now=box.clock.now()
        )
    )
    made = share(box, showsLogo=True)
    assert f"/share/{made['slug']}/logo" in seen(box, made["url"])
    answer = open_link(box, made["url"], "", "/logo")
    assert (answer.status, answer.body) == (200, PNG)
    assert "sandbox" in answer.headers["content-security-policy"]
    assert open_link(box, share(box)["url"], "", "/logo").status == 404


def test_logo_of_a_link_is_shown_instead_of_the_organizations_and_rebuilt_without_metadata(box: WholeBox) -> None:
    made, other = share(box, showsLogo=True), share(box)
    image = base64.b64encode(PNG).decode()
    assert call(box, "shares.updateLogo", id=made["id"], image=image)["hasLogo"]
    assert f"/share/{made['slug']}/logo" in seen(box, made["url"])
    assert open_link(box, made["url"], "", "/logo").body == PNG
    assert open_link(box, other["url"], "", "/logo").status == 404, "each link has its own"
    for wrong in ("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "GIF89a", "x" * 600_000):
        sent = {"id": made["id"], "image": base64.b64encode(wrong.encode()).decode()}
        assert box.post("/shares/updateLogo", sent, key="all").status in {400, 413}, wrong[:20]
    assert not call(box, "shares.updateLogo", id=made["id"], image=None)["hasLogo"]
    call(box, "shares.delete", id=made["id"])
    left = box.box.box_db.read_now(lambda db: db.execute("select count(*) from share_logos").fetchall())
    assert left == [(0,)]


def multipart(content: bytes) -> bytes:
    """The body of a form with a file, whose boundary is `edge`."""
    head = b'--edge\r\ncontent-disposition: form-data; name="image"; filename="logo.png"\r\n\r\n'
    return head + content + b"\r\n--edge--\r\n"


def test_form_uploads_and_removes_the_logo_of_a_link(box: WholeBox) -> None:
    made = share(box)
    path = f"/sites/{box.sites['shop']}/shares/{made['id']}"
    page = {"cookie": box.cookie, "sec_fetch_site": "same-origin", "accept": "text/html"}
    headers = {**page, "content_type": "multipart/form-data; boundary=edge"}
    assert box.ask("POST", f"{path}/logo", headers=headers, body=multipart(PNG)).status == 303
    assert f"/share/{made['slug']}/logo" in seen(box, made["url"])
    refused = box.ask("POST", f"{path}/logo", headers=headers, body=multipart(b"<svg onload=alert(1)>"))
    assert refused.status == 400
    assert "Choose a PNG" in refused.body.decode()
    form = {**page, "content_type": "application/x-www-form-urlencoded"}
    assert box.ask("POST", f"{path}/logo/delete", headers=form, body=b"").status == 303
    assert f"/share/{made['slug']}/logo" not in seen(box, made["url"])


def test_public_dashboard_has_the_options_of_the_link_at_its_address_while_the_website_is_public(box: WholeBox) -> None:
    website = box.sites["shop"]
    url = f"http://localhost:8000/share/{website}"
    made = share(box, slug=website, title="Open figures", panels=["pages"])
    assert open_link(box, url, "").status == 404, "the link does not make the website public"
    call(box, "websites.togglePublic", id=website, isPublic=True)
    page = seen(box, url)
    assert "Open figures" in page
    assert 'id="panel-pages"' in page
    assert 'id="panel-sources"' not in page
    assert open_link(box, url, "?range=today", "/details/sources").status == 404
    settings = box.get(f"/sites/{website}/settings/sharing", cookie=box.cookie, accept="text/html").body.decode()
    assert f'href="/sites/{website}/shares/{made["id"]}"' in settings
    call(box, "websites.togglePublic", id=website, isPublic=False)
    assert open_link(box, url, "").status == 404
    call(box, "websites.togglePublic", id=website, isPublic=True)
    call(box, "shares.delete", id=made["id"])
    assert 'id="panel-sources"' in seen(box, url), "without the link it has the usual panels"
    call(box, "websites.togglePublic", id=website, isPublic=False)


def test_id_of_another_website_is_no_address_of_a_link(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "Link", "slug": box.sites["blog"]}
    assert box.post("/shares/create", given, key="all").status == 409


@pytest.mark.parametrize("accent", ["#ff8800", "#ffffff", "#000000", "#00ff00", "#0b6b62", "#777777"])
def test_accent_is_readable_in_light_and_dark_mode(accent: str) -> None:
    found = re.search(r"--accent: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", stylesheet(accent))
    assert found is not None
    for color, grounds in ((found[1], ("#ffffff", "#f7f6f3")), (found[2], ("#1b1b19", "#232321", "#131312"))):
        for ground in grounds:
            assert contrast(color, ground) >= 4.5, (color, ground)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accent", "red"),
        ("accent", "#12345"),
        ("accent", "#fff;}"),
        ("earliestDate", "yesterday"),
        ("earliestDate", "0001-01-01"),
        ("slug", "a b c"),
        ("slug", "ab"),
        ("slug", "../x"),
        ("embedHosts", ["https://example.com; script-src *"]),
        ("embedHosts", ["exam ple.com"]),
        ("embedHosts", ["*"]),
        ("embedHosts", ["example.com:99999"]),
        ("panels", ["people"]),
        ("panels", ["errors"]),
    ],
)
def test_option_that_is_wrong_is_refused_by_name(box: WholeBox, field: str, value: object) -> None:
    given = {"websiteId": box.sites["shop"], "name": "x", field: value}
    answer = box.post("/shares/create", given, key="all")
    assert answer.status == 400, answer.body
    assert field in answer.body.decode()


def test_address_can_be_chosen_once_and_is_never_the_id_of_a_website(box: WholeBox) -> None:
    made = share(box, slug="our-numbers")
    assert made["url"].endswith("/share/our-numbers")
    assert visitors(seen(box, made["url"])) == len(PEOPLE)
    given = {"websiteId": box.sites["shop"], "name": "x"}
    assert box.post("/shares/create", {**given, "slug": "our-numbers"}, key="all").status == 409
    assert box.post("/shares/create", {**given, "slug": box.sites["blog"]}, key="all").status == 409
    secret = call(box, "shares.update", id=made["id"], slug=None)
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", secret["slug"])
    assert open_link(box, made["url"]).status == 404


def test_search_engines_are_let_in_only_by_choice_and_never_behind_a_password(box: WholeBox) -> None:
    for given, said in (({}, "noindex"), ({"isIndexed": True}, "index")):
        assert f'name="robots" content="{said}"' in seen(box, share(box, **given)["url"])
    locked = share(box, isIndexed=True, password="open sesame")["url"]
    assert 'name="robots" content="noindex"' in seen(box, locked)


def test_views_of_people_are_counted_and_stored_together(box: WholeBox) -> None:
    made = share(box)

    def open_as(agent: str, **more: str) -> None:
        headers = {"accept": "text/html", "user_agent": agent, **more}
        assert box.get(f"/share/{made['slug']}?range=today", **headers).status == 200

    def stored() -> Any:
        box.run(box.box.parts[SharedPages].store_views(box.box.box_db))
        return next(one for one in call(box, "shares.list", websiteId=box.sites["shop"]) if one["id"] == made["id"])

    assert (stored()["views"], stored()["viewedAt"]) == (0, None)
    for _again in range(3):
        open_as(BROWSER)
    open_as("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    open_as(BROWSER, cookie=box.cookie)
    open_as(BROWSER, sec_purpose="prefetch")
    open_as(BROWSER, hx_request="true")
    after = stored()
    assert after["views"] == 3
    assert after["viewedAt"] is not None
    assert after["updatedAt"] == made["updatedAt"], "a view is no change of the link"
    assert stored()["views"] == 3


def test_dashboard_that_a_member_opened_first_looks_the_same(box: WholeBox) -> None:
    url = share(box)["url"]
    box.get(f"/share/{url.rpartition('/')[2]}?range=today&wait=all", accept="text/html", cookie=box.cookie)
    assert seen(box, url) == seen(box, url)
