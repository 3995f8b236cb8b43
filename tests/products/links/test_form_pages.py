"""The form of a short link and its preview, without scripts."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.cases import each
from tests.products.links.world import ANDROID, HOSTILE, IPHONE, TARGET, PageWorld


def test_link_without_a_name_is_named_after_its_destination(pages: PageWorld) -> None:
    link_id = pages.made(targetUrl="https://example.com/unnamed")
    assert "<bdi>example.com/unnamed</bdi>" in pages.seen(f"/links/{link_id}")


RULES = {
    "rules.0.name": "Germans",
    "rules.0.targetUrl": "https://example.com/de",
    "rules.0.conditions.0.property": "country",
    "rules.0.conditions.0.operator": "in",
    "rules.0.conditions.0.value": "DE, Austria",
    "rules.1.name": "",
    "rules.1.targetUrl": "https://example.com/mobile",
    "rules.1.conditions.0.property": "device",
    "rules.1.conditions.0.operator": "equals",
    "rules.1.conditions.0.value": "mobile",
    "rules.2.name": "",
    "rules.2.targetUrl": "",
    "rules.2.conditions.0.property": "country",
    "rules.2.conditions.0.operator": "in",
    "rules.2.conditions.0.value": "",
}


def test_every_field_of_a_link_survives_the_form(pages: PageWorld) -> None:
    variants = {
        "variants.0.name": "A",
        "variants.0.targetUrl": "https://example.com/a",
        "variants.0.weight": "3",
        "variants.1.name": "",
        "variants.1.targetUrl": "https://example.com/b",
        "variants.1.weight": "1",
    }
    plain = {
        "name": "All of it",
        "targetUrl": "https://example.com/all",
        "slug": "all-of-it",
        "tags": "one, two",
        "expiresAt": "2027-05-04T03:02",
        "expiredRedirectUrl": "https://example.com/over",
        "maxClicks": "500",
        "password": "open sesame",
        "redirectStatus": "307",
        "queryForwarding": "override",
        "iosUrl": "https://example.com/ios",
        "androidUrl": "https://example.com/android",
        "deepLinkApp": "spotify",
        "ogTitle": "Seen",
        "ogDescription": "Shown",
        "ogImageUrl": "https://example.com/i.png",
        "ogVideoUrl": "https://example.com/v.mp4",
        "externalId": "ext-1",
        "utm.source": "poster",
    }
    answer = pages.sent("/links/new", plain | RULES | variants | {"do": "save"})
    assert answer.status == 303, answer.body.decode()
    link_id = answer.headers["location"].removeprefix("/links/").partition("?")[0]
    link = pages.call("links.get", id=link_id).json
    expected: dict[str, Any] = {
        name: value for name, value in plain.items() if name not in {"password", "tags", "utm.source"}
    }
    expected |= {"expiresAt": "2027-05-04T03:02:00Z", "maxClicks": 500, "redirectStatus": 307, "hasPassword": True}
    expected |= {"tags": ["one", "two"], "utm": {"source": "poster"}}
    assert {name: link[name] for name in expected} == expected | {"expiresAt": link["expiresAt"]}
    assert link["expiresAt"].startswith("2027-05-04T03:02:00")
    assert [(rule["name"], rule["conditions"]) for rule in link["rules"]] == [
        ("Germans", [{"property": "country", "operator": "in", "values": ["DE", "Austria"]}]),
        ("Rule 2", [{"property": "device", "operator": "equals", "value": "mobile"}]),
    ]
    assert [(one["name"], one["weight"]) for one in link["variants"]] == [("A", 3), ("B", 1)]
    assert re.findall(r'id="rules\.\d\.conditions\.\d\.value-help">([^<]*)<', pages.seen(f"/links/{link_id}/edit")) == [
        "Germany, Austria"
    ]
    rules = pages.seen(f"/links/{link_id}").partition("<dt>Targeting rules</dt>")[2].partition("</dd>")[0]
    assert "Germans: Country is one of Germany, Austria → https://example.com/de" in rules
    unchanged = pages.sent(f"/links/{link_id}/edit", fields_of(pages.seen(f"/links/{link_id}/edit")))
    assert unchanged.status == 303, unchanged.body.decode()
    assert pages.call("links.get", id=link_id).json == link


class Fields(HTMLParser):
    """What a browser would send of the form of a link as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and name and (given.get("type") != "checkbox" or "checked" in given):
            self.found[name] = given.get("value") or ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self.found):
            self.found[self._select] = given.get("value") or ""


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form in this page, saved as they are."""
    reader = Fields()
    reader.feed(page)
    return reader.found | {"do": "save"}


def answer_of(page: str) -> str:
    """What the preview says."""
    return page.split('id="preview"', 1)[1].split("</section>", 1)[0]


@pytest.mark.parametrize(
    ("visitor", "url", "because"),
    [
        ({"as.country": "de"}, "https://example.com/de?ref=x", "Rule: Germans"),
        ({"as.country": "austria", "as.device": "mobile"}, "https://example.com/de?ref=x", "Rule: Germans"),
        ({"as.country": "FR", "as.system": "iOS"}, "https://example.com/mobile?ref=x", "Rule: Rule 2"),
        ({"as.country": "FR"}, "https://example.com/landing?ref=x", "Default destination"),
    ],
)
def test_preview_shows_the_destination_of_a_visitor_and_its_reason(
    pages: PageWorld, visitor: dict[str, str], url: str, because: str
) -> None:
    fields = {"targetUrl": TARGET, "do": "preview", "queryForwarding": "keep", "as.query": "?ref=x"} | RULES | visitor
    answer = pages.sent("/links/new", fields)
    assert answer.status == 200
    said = answer_of(answer.body.decode())
    assert f'<code id="goes">{url}</code>' in said
    assert because in said


def test_preview_of_an_ab_test_shows_all_variants_with_shares_and_utm(pages: PageWorld) -> None:
    variants = {"variants.0.targetUrl": "https://example.com/a", "variants.0.weight": "3"}
    variants |= {"variants.1.targetUrl": "https://example.com/b", "variants.1.weight": "1", "utm.source": "poster"}
    said = answer_of(pages.sent("/links/new", {"targetUrl": TARGET, "do": "preview"} | variants).body.decode())
    assert "https://example.com/a?utm_source=poster" in said
    assert "75.0\N{NO-BREAK SPACE}% of visitors" in said
    assert "https://example.com/b?utm_source=poster" in said


def test_visitor_is_redirected_as_the_preview_shows(pages: PageWorld) -> None:
    fields = {"targetUrl": TARGET, "slug": "as-said", "do": "save"} | RULES
    assert pages.sent("/links/new", fields).status == 303
    assert pages.follow("as-said", user_agent=ANDROID).headers["location"] == "https://example.com/mobile"
    assert pages.follow("as-said", user_agent=IPHONE).headers["location"] == "https://example.com/mobile"
    assert pages.follow("as-said").headers["location"] == TARGET


def test_preview_saves_nothing_and_shows_errors(pages: PageWorld) -> None:
    before = pages.seen("/links")
    said = answer_of(pages.sent("/links/new", {"targetUrl": "javascript:alert(1)", "do": "preview"}).body.decode())
    assert "Enter a full http or https URL" in said
    assert "data:image/svg+xml" not in said
    assert "data:image/svg+xml;base64," in answer_of(
        pages.sent("/links/new", {"targetUrl": TARGET, "slug": "drawn", "do": "preview"}).body.decode()
    )
    assert pages.seen("/links") == before


def names(page: str) -> list[str]:
    """The names of the rules in the form, in their order."""
    return re.findall(r'name="rules\.\d+\.name" type="text" value="([^"]*)"', page)


@pytest.mark.parametrize(
    ("button", "left", "focus"),
    [
        ("add-rule", ["Germans", "", "", ""], "rules.3.conditions.0.property"),
        ("remove-rule.0", ["", ""], "add-rule"),
        ("down.0", ["", "Germans", ""], "rules.1.name"),
        ("up.1", ["", "Germans", ""], "rules.0.name"),
        ("up.0", ["Germans", "", ""], ""),
        ("up.99", ["Germans", "", ""], ""),
        ("nonsense.x.1", ["Germans", "", ""], ""),
    ],
)
def test_rule_buttons_work_without_scripts(pages: PageWorld, button: str, left: list[str], focus: str) -> None:
    answer = pages.sent("/links/new", {"targetUrl": TARGET, "do": button} | RULES)
    page = answer.body.decode()
    assert (answer.status, names(page)) == (200, left)
    assert [re.findall('id="([^"]*)"', tag)[0] for tag in re.findall("<[^>]* autofocus[^>]*>", page)] == [focus] * bool(
        focus
    )


def test_conditions_and_variants_are_added_and_removed(pages: PageWorld) -> None:
    page = pages.sent("/links/new", {"do": "add-condition.0"} | RULES).body.decode()
    assert 'id="rules.0.conditions.1.value"' in page
    page = pages.sent("/links/new", {"do": "remove-condition.0.0"} | RULES).body.decode()
    assert 'id="rules.0.conditions.0.value"' not in page
    page = pages.sent("/links/new", {"do": "add-variant"}).body.decode()
    fields = fields_of(page)
    assert (fields["variants.0.name"], fields["variants.1.name"]) == ("A", "B")
    page = pages.sent("/links/new", fields | {"do": "remove-variant.0"}).body.decode()
    assert fields_of(page)["variants.0.name"] == "B"


WRONG = (
    ({"targetUrl": ""}, "targetUrl", "Enter a destination"),
    ({"targetUrl": "javascript:alert(1)"}, "targetUrl", "Enter a full http or https URL"),
    ({"slug": "a b"}, "slug", "Enter a slug of 3 to 50"),
    ({"slug": "taken"}, "slug", "This slug is already taken"),
    ({"maxClicks": "many"}, "maxClicks", "Enter a whole number"),
    ({"maxClicks": "0"}, "maxClicks", "Enter a whole number"),
    ({"expiresAt": "soon"}, "expiresAt", "Enter a day and a time"),
    ({"password": "abc"}, "password", "4 to 128"),
    ({"folderId": "nowhere"}, "folderId", "There is no folder"),
    ({"domain": "not.ours.example"}, "domain", "not one of the organization"),
    ({"redirectStatus": "418"}, "redirectStatus", "Must be one of: 301, 302, 307, 308"),
    ({"rules.0.targetUrl": "ftp://x.example/"}, "rules.0.targetUrl", "http or https"),
    ({"rules.0.targetUrl": ""}, "rules.0.targetUrl", "Enter a destination"),
    ({"rules.0.conditions.0.value": ""}, "rules.0.conditions.0.value", "Add a condition"),
    ({"rules.0.conditions.0.property": "shoe"}, "rules.0.conditions.0.property", "Must be one of: "),
    (
        {"variants.0.targetUrl": TARGET, "variants.0.weight": "x", "variants.1.targetUrl": TARGET},
        "variants.0.weight",
        "from 1 to 1000",
    ),
    ({"variants.0.targetUrl": TARGET, "variants.0.weight": "1"}, "variants", "at least two"),
    ({"iosUrl": "shoe://x"}, "iosUrl", "http or https"),
)


@each(("fields", "field", "says"), WRONG)
def test_error_appears_at_its_field(pages: PageWorld, fields: dict[str, str], field: str, says: str) -> None:
    if fields.get("slug") == "taken":
        pages.made(slug="taken")
    answer = pages.sent("/links/new", {"targetUrl": TARGET, "name": HOSTILE, "do": "save"} | RULES | fields)
    page = answer.body.decode()
    assert answer.status in {400, 409}
    assert f'<a href="#{field}">' in page
    assert re.search(rf'id="{re.escape(field)}-error">.*?{says}', page, re.DOTALL), page
    assert "<script>alert" not in page


def test_password_is_kept_by_an_edit_and_removed_by_its_box(pages: PageWorld) -> None:
    link_id = pages.made(slug="guarded", password="open sesame")
    page = pages.seen(f"/links/{link_id}/edit")
    assert "open sesame" not in page
    fields = fields_of(page)
    assert pages.sent(f"/links/{link_id}/edit", fields).status == 303
    assert pages.unlock("guarded", "open sesame").status == 303
    assert pages.sent(f"/links/{link_id}/edit", fields | {"removePassword": "on"}).status == 303
    assert pages.follow("guarded").status == 302


def test_form_explains_the_limits_of_click_limits_and_passwords(pages: PageWorld) -> None:
    page = pages.seen("/links/new")
    assert "Repeated clicks count; bots, previews and prefetches do not." in page
    assert "Protects the short link, not its destination." in page


def advanced_of(page: str) -> tuple[bool, str]:
    """Whether the advanced settings are unfolded, and their summary."""
    match = re.search(r'<details class="advanced"( open)?>.*?<span>(.*?)</span>', page, re.DOTALL)
    assert match is not None
    return match[1] is not None, match[2]


def test_advanced_settings_are_folded_until_one_differs_from_its_default(pages: PageWorld) -> None:
    assert advanced_of(pages.seen("/links/new")) == (False, "Default settings")
    plain = pages.made(slug="plain-form")
    assert advanced_of(pages.seen(f"/links/{plain}/edit")) == (False, "Default settings")
    rich = pages.made(slug="rich-form", tags="a", password="open sesame", utm__source="poster", redirectStatus="301")
    said = "Tags · Password · UTM parameters · Redirect"
    assert advanced_of(pages.seen(f"/links/{rich}/edit")) == (True, said)


def test_advanced_settings_unfold_for_an_error_in_them_only(pages: PageWorld) -> None:
    wrong_slug = pages.sent("/links/new", {"targetUrl": TARGET, "slug": "a b", "do": "save"}).body.decode()
    assert advanced_of(wrong_slug)[0] is False
    wrong_limit = pages.sent("/links/new", {"targetUrl": TARGET, "maxClicks": "x", "do": "save"}).body.decode()
    assert advanced_of(wrong_limit)[0] is True
