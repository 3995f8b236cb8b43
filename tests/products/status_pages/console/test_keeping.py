"""Status pages in the dashboard: made, put in order, changed with a preview, and who may do what."""

import re

import pytest
from msgspec.structs import replace

from analytics_box.products.status_pages.directory import StatusPages
from tests.cases import each
from tests.products.links.world import HOSTILE
from tests.products.status_pages.console.world import Console

SETTINGS = {
    "name": "Shop",
    "timeZone": "UTC",
    "automaticIncidents": "off",
    "publishAfterMinutes": "5",
    "isIndexed": "on",
    "isSubscribable": "on",
}
TABS = ("", "/components", "/maintenances", "/history")
OF_EDITORS = ("/settings", "/subscribers", "/templates", "/preview", "/incidents/new", "/maintenances/new", "/delete")


def test_new_page_is_a_draft_with_the_ticked_monitors_until_it_is_published(console: Console) -> None:
    first, second = console.monitor("https://a.example.com"), console.monitor("https://b.example.com")
    form = console.seen("/status-pages/new")
    assert f'name="monitor.{first}" value="on"' in form
    assert " checked" not in form
    home = console.gone_to("/status-pages/new", name="Shop & more", slug="made", **{f"monitor.{first}": "on"})
    known = console.known(home.removeprefix("/status-pages/"))
    assert [one.monitor_id for one in known.components] == [first]
    assert second not in console.seen(home)
    assert "Draft" in console.seen("/status-pages")
    assert not [one for one in console.good("listPublic") if one["slug"] == "made"]
    assert console.refused("getBySlug", slug="made")[0] == 404
    for path in ("", "/history.rss", "/badge.svg", "/api/v2/summary.json", "/subscribe"):
        assert console.box.get(f"/status/made{path}").status == 404
    assert "Shop &amp; more" in console.seen(f"{home}/preview")
    console.gone_to(f"{home}/publish")
    public = console.public("made")
    assert "Shop &amp; more" in public
    assert "a.example.com" not in public
    console.gone_to(f"{home}/unpublish")
    assert console.box.get("/status/made").status == 404


def test_draft_has_no_custom_domain_and_notifies_no_subscribers(console: Console) -> None:
    page_id = console.page("hidden", isPublished=False)
    whole = console.known(page_id)
    page = replace(whole.page, domain="hidden.example.org")
    pages = StatusPages([replace(whole, page=page)])
    assert pages.by_domain("hidden.example.org") is None
    assert StatusPages([replace(whole, page=replace(page, published=True))]).by_domain("hidden.example.org") is not None
    assert console.refused("addSubscriber", statusPageId=page_id, address="ada@example.org", type="email")[0] == 400


def test_notify_subscribers_stands_before_the_button_that_publishes(console: Console) -> None:
    home = console.home(slug="before")
    for path, button in (("incidents/new", 'value="publish"'), ("maintenances/new", ">Schedule<")):
        form = console.seen(f"{home}/{path}")
        assert 0 < form.index('name="notify"') < form.index(button)


def test_a_slug_that_cannot_be_comes_back_with_what_was_typed(console: Console) -> None:
    answer = console.sent("/status-pages/new", name="Our page", slug="Not This")
    page = answer.body.decode()
    assert answer.status == 400
    assert "Use 1 to 100 letters a-z and digits" in page
    assert 'value="Our page"' in page


def test_missing_input_is_reported_at_its_field_in_plain_words(console: Console) -> None:
    page = console.sent("/status-pages/new", name="Our page", slug="").body.decode()
    assert re.search(r'id="slug-error"[^>]*>\s*(<svg.*?</svg>)?\s*(<span>)?This is required', page, re.DOTALL), page
    assert "Expected" not in page


def test_a_slug_that_is_taken_is_said_at_its_field(console: Console) -> None:
    console.page("taken")
    answer = console.sent("/status-pages/new", name="Another", slug="taken")
    assert answer.status == 400
    assert 'id="slug-error"' in answer.body.decode()


def test_settings_are_saved_and_shown_again(console: Console) -> None:
    home = console.home(slug="settled")
    given = SETTINGS | {"slug": "settled", "theme": "dark", "websiteUrl": "https://example.com/", "password": "secret"}
    console.gone_to(f"{home}/settings", **given | {"automaticIncidents": "publish", "publishAfterMinutes": "9"})
    page = console.known(home.removeprefix("/status-pages/")).page
    assert (page.theme, page.website_url, page.automatic, page.publish_after) == (
        *("dark", "https://example.com/"),
        *("publish", 9),
    )
    form = console.seen(f"{home}/settings")
    assert 'value="https://example.com/"' in form
    assert "Leave blank to keep the current password" in form
    assert "secret" not in form


def test_a_password_stays_until_it_is_taken_away(console: Console) -> None:
    home = console.home(slug="locked")
    page_id, given = home.removeprefix("/status-pages/"), SETTINGS | {"slug": "locked"}
    console.gone_to(f"{home}/settings", **given, password="open sesame")
    stored = console.known(page_id).page.password
    console.gone_to(f"{home}/settings", **given)
    assert console.known(page_id).page.password == stored != ""
    console.gone_to(f"{home}/settings", **given, removePassword="on")
    assert console.known(page_id).page.password == ""


@each(
    ("field", "value", "said"),
    [
        ("publishAfterMinutes", "soon", "Enter a whole number"),
        ("publishAfterMinutes", "2000", "publishAfterMinutes"),
        ("websiteUrl", "http://example.com", "https://"),
        ("slug", "api", "reserved"),
        ("name", "  ", 'id="name-error"'),
    ],
)
def test_settings_that_cannot_be_come_back_and_change_nothing(
    console: Console, field: str, value: str, said: str
) -> None:
    home = console.home(slug=f"wrong-{abs(hash((field, value)))}")
    before = console.known(home.removeprefix("/status-pages/"))
    answer = console.sent(f"{home}/settings", **SETTINGS | {"slug": before.page.slug} | {field: value})
    assert answer.status == 400
    assert said in answer.body.decode()
    assert console.known(home.removeprefix("/status-pages/")) == before


def test_the_preview_is_the_page_with_what_is_not_saved_and_only_we_may_frame_it(console: Console) -> None:
    home = console.home(console.monitor("https://preview.example.com", name="Till"), slug="previewed")
    answer = console.sent(f"{home}/preview", **SETTINGS | {"slug": "previewed", "name": "Not saved yet"})
    assert answer.status == 200
    assert "Not saved yet" in answer.body.decode()
    assert "Till" in answer.body.decode()
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "Not saved yet" not in console.public("previewed")
    assert "frame-src 'self'" in console.answer(f"{home}/settings").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in console.answer(f"{home}/settings").headers["content-security-policy"]


def test_a_form_that_cannot_be_saved_has_a_preview_all_the_same(console: Console) -> None:
    home = console.home(slug="half-typed")
    wrong = SETTINGS | {"slug": "Half typed", "name": "So far", "websiteUrl": "htt", "publishAfterMinutes": ""}
    assert "So far" in console.sent(f"{home}/preview", **wrong).body.decode()


def test_components_are_added_grouped_moved_and_removed(console: Console) -> None:
    till = console.monitor("https://till.example.com", name="Till")
    home = console.home(slug="arranged")
    page_id = home.removeprefix("/status-pages/")
    console.gone_to(f"{home}/components", add="monitor", monitor=till)
    console.gone_to(f"{home}/components", add="manual", manual="Telephone")
    console.gone_to(f"{home}/components", add="group", group="Support")
    watched, by_hand = console.known(page_id).components
    (group,) = console.known(page_id).groups
    fields = {"name": "Telephone line", "groupId": group.id, "status": "partial_outage", "showUptime": "on"}
    console.gone_to(f"{home}/components/{by_hand.id}", **fields)
    console.gone_to(f"{home}/order", up=group.id)
    changed = console.known(page_id)
    assert [one.id for one in changed.components] == [by_hand.id, watched.id]
    assert (changed.components[0].name, changed.components[0].status) == ("Telephone line", "partial_outage")
    console.gone_to(f"{home}/components/{watched.id}", name="", showUptime="on")
    assert console.known(page_id).components[1].hide_url
    assert "Remove the group Support?" in console.seen(f"{home}/groups/{group.id}/remove")
    console.gone_to(f"{home}/groups/{group.id}/remove")
    console.gone_to(f"{home}/components/{watched.id}/remove")
    assert [(one.id, one.group_id) for one in console.known(page_id).components] == [(by_hand.id, None)]


def test_names_of_whatever_kind_are_text(console: Console) -> None:
    home = console.home(slug="hostile")
    for text in HOSTILE:
        if text.isprintable():
            console.sent(f"{home}/components", add="manual", manual=text[:120])
    for tab in (*TABS, "/incidents/new", "/preview"):
        page = console.seen(f"{home}{tab}")
        assert "<script>window" not in page
        assert "<img src=x" not in page
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", page)


@pytest.mark.parametrize("tab", TABS)
def test_viewers_look_and_are_offered_nothing_to_change(console: Console, tab: str) -> None:
    home = console.home(console.monitor(f"https://viewed{len(tab)}.example.com"), slug=f"viewed-{len(tab)}")
    page = console.seen(f"{home}{tab}", console.viewer)
    main = page[page.index('id="content"') :]
    assert 'method="post"' not in main.partition("</main>")[0]
    assert "Report incident" not in main


@pytest.mark.parametrize("tab", OF_EDITORS)
def test_viewers_do_not_get_what_is_for_those_who_keep_pages(console: Console, tab: str) -> None:
    home = console.home(slug=f"kept{tab.replace('/', '-')}")
    assert console.answer(f"{home}{tab}", console.viewer).status == 403
    assert console.sent(f"{home}{tab}", console.viewer).status in {403, 405}


@pytest.mark.parametrize("tab", [*TABS, *OF_EDITORS])
def test_others_do_not_learn_that_a_page_is_there(console: Console, tab: str) -> None:
    home = console.home(slug=f"foreign{tab.replace('/', '-')}")
    assert console.answer(f"{home}{tab}", console.foreign).status == 404


def test_a_page_goes_after_a_question_that_names_it(console: Console) -> None:
    home = console.home(slug="going")
    assert "Delete Shop?" in console.seen(f"{home}/delete")
    assert console.gone_to(f"{home}/delete") == "/status-pages"
    assert console.answer(home).status == 404
    assert console.box.get("/status/going").status == 404
