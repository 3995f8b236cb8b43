"""A key that goes into its form and comes back unchanged is the same key, whatever it is."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.identity import Scope, SignedInPerson
from analytics_box.tenants.keys import form, rules
from analytics_box.tenants.keys.rules import RateLimit, StoredKey
from analytics_box.tenants.websites.rules import Website
from tests.inprocess import NOON

SITES = [Website(name, "organization", 1, name.upper(), f"{name}.example", False, "ACTIVE", NOON) for name in "ab"]
SCOPES = st.lists(st.sampled_from(form.OF_ONE_WEBSITE), unique=True).map(tuple)


def person(zone: str = "UTC") -> SignedInPerson:
    return SignedInPerson("user", "organization", "owner", "ada@example.com", zone)


@st.composite
def records(draw: st.DrawFn) -> StoredKey:
    """A key that rules.check would let pass."""
    scopes: tuple[Scope, ...] = draw(SCOPES)
    own = draw(st.dictionaries(st.sampled_from(["website:a", "website:b", "website:gone"]), SCOPES))
    everywhere = bool(scopes) and draw(st.booleans())
    if not everywhere and not own:
        own = {"website:a": ("read:data",)}
    if not scopes and not any(own.values()):
        own[next(iter(own))] = ("read:data",)
    return StoredKey(
        digest=bytes(32),
        id="key",
        organization_id="organization",
        name="Key",
        start="svc_0000",
        type=draw(st.sampled_from(rules.TYPES)),
        description="",
        scopes=scopes,
        resources=own | ({"global": scopes} if everywhere else {}),
        tags=draw(st.sampled_from([(), ("nightly",), ("a b", "c")])),
        ratelimit=draw(st.none() | st.builds(RateLimit, st.booleans(), st.integers(1, 999), st.integers(1, 86_400))),
        enabled=True,
        created_at=NOON,
        updated_at=NOON,
        expires_at=draw(st.none() | st.integers(NOON, NOON + 10**11)),
    )


@given(record=records(), zone=st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"]))
def test_a_form_that_is_saved_as_it_is_changes_nothing(record: StoredKey, zone: str) -> None:
    posted = dict(parse_qsl(urlencode(form.fields_of(record, person(zone))), keep_blank_values=True))
    wanted = replace(record, **form.parse_key_form(posted, person(zone), record))
    after = replace(record, scopes=wanted.scopes, resources=wanted.resources)
    assert rules.key_of(after) == rules.key_of(record), "it may the same"
    assert (wanted.tags, wanted.ratelimit, wanted.type) == (record.tags, record.ratelimit, record.type)
    assert wanted.expires_at == record.expires_at, "to the millisecond"


@given(record=records())
def test_permissions_of_the_form_match_the_key(record: StoredKey) -> None:
    offered = form.scope_choices(form.fields_of(record, person()), SITES, "owner", record)
    key = rules.key_of(record)
    ticked = {choice.name for group in offered.groups for choice in group.choices if choice.on}
    assert ticked == key.scopes
    assert [group.any_on for group in offered.own].count(True) == len(key.own)
    names = [choice.field for choice in offered.sites]
    assert len(names) == len(set(names))
    assert ("website:gone" in names) == ("website:gone" in record.resources), "it may be restored"


@pytest.mark.parametrize(
    ("zone", "fields", "instant"),
    [
        ("UTC", {"expires": "2026-12-24"}, "2026-12-25T00:00:00+00:00"),
        ("UTC", {"expires": "2026-12-24", "expires_at": "18:30"}, "2026-12-24T18:30:00+00:00"),
        ("Europe/Berlin", {"expires": "2026-12-24"}, "2026-12-24T23:00:00+00:00"),
        ("Europe/Berlin", {"expires": "2026-10-25"}, "2026-10-25T23:00:00+00:00"),  # a day of 25 hours
        ("America/New_York", {"expires": "2026-12-24", "expires_at": "08:00"}, "2026-12-24T13:00:00+00:00"),
    ],
)
def test_an_end_is_a_day_of_the_person_s_zone(zone: str, fields: dict[str, str], instant: str) -> None:
    expires_at = form.parse_key_form({"name": "Key", "scope:read:data": "on", **fields}, person(zone))["expires_at"]
    assert datetime.fromtimestamp(expires_at / 1000, UTC).isoformat() == instant
