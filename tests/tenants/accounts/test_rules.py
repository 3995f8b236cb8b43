"""What an account may look like."""

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.tenants.accounts import passwords, rules
from analytics_box.tenants.accounts.passwords import hash_now
from analytics_box.tenants.tenancy.rules import clean_organization
from tests import hashing

GOOD_EMAILS = (
    ("Ada@Example.COM", "ada@example.com"),
    (" a+b@c.de ", "a+b@c.de"),
    ("ü@ü.example", "ü@ü.example"),
    ("o'neil@example.org", "o'neil@example.org"),
    ("ada@ｇmail.com", "ada@gmail.com"),
)
BAD_EMAILS = (
    "",
    "ada",
    "@example.com",
    "ada@",
    "a b@c.de",
    "a@b@c",
    "<a@b.c>",
    "a@b.c\nBcc: x@y.z",
    "x" * 65 + "@a.b",
    "a@b'c.d",
    "a@b.c.",
    "a(1)@b.c",
    "(x)a@b.c",
    "a@b.c(x)",
    "a[b@c.de",
    "a@[192.0.2.1]",
    "a\0b@c.de",
    "a\u200b@c.de",
    "a＠b@c.de",
)

BAD_PASSWORDS = (
    ("", "at least 12"),
    ("elevenchars", "at least 12"),
    ("x" * 129, "at most 128"),
    ("123456789012", "too easy"),
    ("PasswordPassword", "too easy"),
    ("aaaaaaaaaaaab", "too easy"),
    ("ada@example.com", "too easy"),
    ("ADA@EXAMPLE.COM", "too easy"),
)


@pytest.mark.parametrize(("given", "kept"), GOOD_EMAILS)
def test_an_address_is_kept_in_lower_case(given: str, kept: str) -> None:
    assert rules.clean_email(given) == kept


@pytest.mark.parametrize("given", BAD_EMAILS)
def test_invalid_email_address_is_refused(given: str) -> None:
    with pytest.raises(BadRequest) as refused:
        rules.clean_email(given)
    assert refused.value.details[0].field == "email"


@pytest.mark.parametrize(("password", "said"), BAD_PASSWORDS)
def test_a_bad_password_is_refused_with_the_reason(password: str, said: str) -> None:  # security: passwords
    with pytest.raises(BadRequest, match=said) as refused:
        rules.check_password(password, "ada@example.com")
    assert refused.value.details[0].field == "password"


@pytest.mark.parametrize("password", ["a long and quiet sentence", "dvoynaya-дверь-12", "x1y2" * 32])
def test_a_good_password_needs_no_special_characters(password: str) -> None:
    rules.check_password(password, "ada@example.com")


def test_a_password_is_hashed_as_the_rules_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Security: m=19 MiB, t=2, p=1."""
    monkeypatch.setattr(passwords, "_hasher", hashing.REAL)
    made = hash_now("a long and quiet sentence")
    assert made.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert made != hash_now("a long and quiet sentence")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\x00b", "a\u202eb"])
def test_an_organizations_name_can_be_read(name: str) -> None:
    with pytest.raises(BadRequest):
        clean_organization(name)


@pytest.mark.parametrize(
    ("name", "zone"),
    [("Europe/Berlin", "Europe/Berlin"), ("", "UTC"), ("Nowhere", "UTC"), ("../x", "UTC"), ("\x00", "UTC")],
)
def test_an_unknown_zone_is_utc(name: str, zone: str) -> None:
    assert rules.clean_time_zone(name) == zone
