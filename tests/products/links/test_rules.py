"""Which target a visit gets: conditions, draws, and what the query may do to an address. All pure."""

from collections import Counter
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.products.links import slugs
from analytics_box.products.links.link import ShortLink, Utm, new_link
from analytics_box.products.links.redirects import live
from analytics_box.products.links.targeting import rules
from analytics_box.products.links.targeting.rules import (
    LONGEST,
    Forwarding,
    TargetChoice,
    TargetCondition,
    TargetRule,
    TargetVariant,
    TargetVisit,
    assign_variant,
    choose_target,
    fits,
    forward_query,
    with_parameters,
)
from tests.cases import each

VISIT = TargetVisit(
    person="203.0.113.7\0Firefox",
    country="Germany",
    country_code="DE",
    region="Bavaria",
    city="Munich",
    device="mobile",
    system="iOS",
    browser="Safari",
    language="de-AT",
)
TABLE = (
    (TargetCondition("country", "equals", "de"), True),
    (TargetCondition("country", "equals", "Germany"), True),
    (TargetCondition("country", "equals", "France"), False),
    (TargetCondition("country", "in", values=("FR", "DE")), True),
    (TargetCondition("country", "not_in", values=("FR", "DE")), False),
    (TargetCondition("country", "not_in", values=("FR",)), True),
    (TargetCondition("region", "contains", "var"), True),
    (TargetCondition("region", "contains", "xyz"), False),
    (TargetCondition("city", "starts_with", "mun"), True),
    (TargetCondition("city", "ends_with", "ICH"), True),
    (TargetCondition("city", "ends_with", values=("x", "nich")), True),
    (TargetCondition("device", "exists"), True),
    (TargetCondition("device", "not_exists"), False),
    (TargetCondition("language", "equals", "de"), True),
    (TargetCondition("language", "equals", "de-at"), True),
    (TargetCondition("language", "equals", "de-de"), False),
    (TargetCondition("system", "equals", "ios"), True),
    (TargetCondition("browser", "in", values=("Chrome", "Safari")), True),
)


@each(("condition", "expected"), TABLE)
def test_a_condition_fits_or_does_not(condition: TargetCondition, expected: bool) -> None:
    assert fits(condition, VISIT) is expected


@pytest.mark.parametrize("operator", ["equals", "contains", "starts_with", "ends_with", "in", "exists"])
def test_nothing_fits_what_is_not_known(operator: rules.Operator) -> None:
    assert not fits(TargetCondition("country", operator, "de"), TargetVisit("x"))


def test_unknown_value_is_in_no_list_and_does_not_exist() -> None:
    assert fits(TargetCondition("city", "not_in", values=("Munich",)), TargetVisit("x"))
    assert fits(TargetCondition("city", "not_exists"), TargetVisit("x"))


def link(**more: object) -> ShortLink:
    said: dict[str, object] = {"number": 1, "slug": "abc", "name": "A", "target_domain": "example.com"}
    said["target_url"] = "https://example.com/"
    return new_link(id="linkid00", organization_id="org00000", created_by="me", now=0, **said | more)


RULES = (
    TargetRule(
        "both",
        "https://one.example/",
        (TargetCondition("country", "equals", "FR"), TargetCondition("device", "exists")),
    ),
    TargetRule("phones", "https://two.example/", (TargetCondition("device", "equals", "mobile"),)),
    TargetRule("too late", "https://three.example/", (TargetCondition("device", "exists"),)),
)
VARIANTS = (TargetVariant("a", "https://a.example/", 3), TargetVariant("b", "https://b.example/", 1))


def test_the_first_rule_that_fits_counts_then_the_device_then_the_draw() -> None:
    full = link(rules=RULES, ios_url="https://ios.example/", variants=VARIANTS)
    assert choose_target(full, VISIT, key="k") == TargetChoice("https://two.example/", rule="phones")
    assert choose_target(link(ios_url="https://ios.example/", variants=VARIANTS), VISIT, key="k").rule == "iosUrl"
    assert choose_target(link(android_url="https://d.example/"), VISIT, key="k") == TargetChoice("https://example.com/")
    drawn = choose_target(link(variants=VARIANTS), VISIT, key="k")
    assert drawn.variant in {"a", "b"}
    assert drawn.url == f"https://{drawn.variant}.example/"


def test_draws_follow_the_weights_and_stay_the_same_for_a_person() -> None:
    people = [f"198.51.100.{number}\0{number}" for number in range(20_000)]
    first = [assign_variant(VARIANTS, person, "one") for person in people]
    assert first == [assign_variant(VARIANTS, person, "one") for person in people]
    names = Counter(variant.name for variant in first if variant is not None)
    expected = {"a": 15_000, "b": 5_000}
    chi_square = sum((names[name] - count) ** 2 / count for name, count in expected.items())
    assert chi_square < 10.8  # one degree of freedom, p = 0.001; the people are always the same
    second = [assign_variant(VARIANTS, person, "two") for person in people]
    both_b = sum(one == two == VARIANTS[1] for one, two in zip(first, second, strict=True))
    assert 1_050 < both_b < 1_450  # a quarter of a quarter: draws of two links are independent


def test_only_a_links_own_targets_come_out() -> None:
    full = link(rules=RULES, variants=VARIANTS, ios_url="https://ios.example/", utm=Utm(source="x"))
    own = {rule.targetUrl for rule in RULES} | {one.targetUrl for one in VARIANTS} | {full.ios_url, full.target_url}
    for number in range(200):
        assert choose_target(full, TargetVisit(f"p{number}", device="desktop" * (number % 2)), key="k").url in own


ADDRESSES = st.sampled_from(
    (
        "https://example.com/",
        "https://example.com/a?b=1&c=%20x",
        "https://example.com:8443/p/q?x#frag?ment",
        "https://xn--bcher-kva.example/?u=https%3A%2F%2Fother.example%2F",
    )
)
QUERIES = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        ("//evil.example", "#@evil.example", "a=b#c", "%0d%0aSet-Cookie:x", "b=2&b=3", "url=javascript:1", "&&&=")
    ),
)


@given(ADDRESSES, QUERIES, st.sampled_from(("none", "keep", "override")))
def test_no_query_moves_a_target(url: str, query: str, how: Forwarding) -> None:
    before, after = urlsplit(url), urlsplit(forward_query(url, query, how))
    assert (after.scheme, after.netloc, after.path, after.fragment) == (
        before.scheme,
        before.netloc,
        before.path,
        before.fragment,
    )
    assert forward_query(url, query, how).isascii()
    assert not set(forward_query(url, query, how)) & set('\r\n\t "<>\\')
    if how == "keep":
        own = dict(parse_qsl(before.query, keep_blank_values=True))
        assert {name: dict(parse_qsl(after.query, keep_blank_values=True)).get(name) for name in own} == own
    if how == "none":
        assert after.query == before.query


def test_overlong_query_is_not_forwarded() -> None:
    url = "https://example.com/"
    assert forward_query(url, "a=" + "x" * LONGEST, "keep") == url
    assert forward_query(url, "&".join(f"a{number}=1" for number in range(200)), "keep") == url


def test_campaign_values_take_the_place_of_those_of_the_target() -> None:
    assert (
        with_parameters("https://example.com/?utm_source=a&x=1#f", Utm(source="b c").parameters)
        == "https://example.com/?x=1&utm_source=b+c#f"
    )


@given(st.text(min_size=1, max_size=60))
def test_a_slug_is_taken_exactly_when_it_has_its_shape(text: str) -> None:
    plain = all(letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-" for letter in text)
    assert slugs.is_slug(text) is (plain and 3 <= len(text) <= 50)


def test_generated_slugs_are_of_clear_letters_and_grow_after_misses() -> None:
    made = [slugs.new(tries) for tries in range(10) for _ in range(200)]
    assert {len(slug) for slug in made[:600]} == {7}
    assert [len(slugs.new(tries)) for tries in (0, 2, 3, 5, 6, 9)] == [7, 7, 8, 8, 9, 10]
    assert set("".join(made)) <= set(slugs.ALPHABET)
    assert not set(slugs.ALPHABET) & set("0o1il")
    assert all(slugs.is_slug(slug) for slug in made)
    assert len(set(made)) == len(made)


LIVE = st.builds(
    live.RedirectLink,
    number=st.integers(1, 2**62),
    organization=st.integers(0, 2**32 - 1),
    target_url=st.text(min_size=8, max_size=100),
    redirect_status=st.sampled_from((301, 302, 307, 308)),
    query_forwarding=st.sampled_from(("none", "keep", "override")),
    expires_at=st.none() | st.integers(0, 2**50),
    expired_url=st.none() | st.just("https://example.com/"),
    max_clicks=st.none() | st.integers(1, 10**9),
    has_password=st.booleans(),
    has_preview=st.booleans(),
    rules=st.sampled_from(((), RULES)),
    variants=st.sampled_from(((), VARIANTS)),
)


@given(LIVE)
def test_a_link_in_memory_is_the_link(found: live.RedirectLink) -> None:
    assert live.unpack(live.pack(found)) == found


def test_a_plain_link_takes_little_more_than_its_address() -> None:
    plain = live.live(link(), 3)
    assert plain.is_plain
    assert len(live.pack(plain)) == len("https://example.com/") + 13
