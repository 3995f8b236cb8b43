"""Valid accounts and the lifetime of a session. Pure."""

import re
import unicodedata
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base import names
from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

SETUP_LIFE = 24 * HOUR  # of a setup link
SESSION_IDLE = 7 * DAY
SESSION_LIFE = 30 * DAY
SESSION_TOUCH = 5 * MINUTE  # how exactly "last seen" is kept
SECOND_STEP_LIFE = 10 * MINUTE  # between the password and the code
RESET_LIFE = HOUR  # of a link that sets a new password
FIRST_PASSWORD_LIFE = 7 * DAY  # of a link that sets the first one, as long as an invitation
UNCONFIRMED_LIFE = DAY  # of a second factor that was begun
BROWSER_KNOWN = 365 * DAY  # since it last signed in
CODE_TRIES = 5  # wrong codes in a row without a wait
_FIRST_WAIT, _LONGEST_WAIT = 30, 3_600  # seconds
PASSWORD_SHORTEST, PASSWORD_LONGEST = 12, 128

# Parentheses and brackets have a meaning in mail: a(1)@b.c leads to a@b.c.
_EMAIL = re.compile(r"[^@\s<>\",;:\\()\[\]]{1,64}@[^@\s<>\"',;:\\()\[\]]{1,188}[^@\s<>\"',;:\\()\[\].]\Z")

# The commonest passwords of at least 12 characters, and what people type when they are asked for 12.
COMMON = frozenset(
    [
        "123456789012",
        "1234567890123",
        "12345678901234",
        "123456789012345",
        "1234567890123456",
        "111111111111",
        "000000000000",
        "password1234",
        "password12345",
        "passwordpassword",
        "password123456",
        "password2024",
        "password2025",
        "password2026",
        "qwertyuiop12",
        "qwertyuiop123",
        "qwertyuiopas",
        "qwertyqwerty",
        "qwerty123456",
        "qwerty1234567",
        "1q2w3e4r5t6y",
        "1qaz2wsx3edc",
        "1q2w3e4r5t6y7u",
        "qazwsxedcrfv",
        "zaq12wsxcde3",
        "abcdefghijkl",
        "abcdefghijklm",
        "abc123456789",
        "a12345678910",
        "asdfghjkl123",
        "asdfasdfasdf",
        "administrator",
        "administrator1",
        "adminadminadmin",
        "admin1234567",
        "admin12345678",
        "changeme1234",
        "changemechangeme",
        "letmeinletmein",
        "letmein12345",
        "welcome12345",
        "welcome123456",
        "iloveyou1234",
        "iloveyouiloveyou",
        "ilovemyfamily",
        "q1w2e3r4t5y6",
        "123qweasdzxc",
        "123123123123",
        "121212121212",
        "112233445566",
        "987654321098",
        "correcthorsebatterystaple",
        "analyticsbox",
        "analytics-box",
        "analyticsbox1",
        "analyticsbox123",
        "monkey123456",
        "dragon123456",
        "sunshine1234",
        "princess1234",
        "football1234",
        "baseball1234",
        "superman1234",
        "trustno1trustno1",
        "unknownunknown",
        "defaultdefault",
        "secretsecret",
        "supersecret1",
        "supersecret123",
        "mypassword12",
        "mypassword123",
    ]
)


class User(Struct, frozen=True):
    """An account. `password` is an Argon2 hash, or empty until its person has chosen one. Times are UTC ms."""

    id: str
    email: str
    password: str
    time_zone: str
    is_administrator: bool
    created_at: int
    name: str = ""


def clean_email(email: str) -> str:
    """An address in lower case, without characters that stand for plain ones (NFKC). Raises BadRequest.

    What is kept is what mail is sent to: no part of it is left out or read as something else on the way.
    """
    email = unicodedata.normalize("NFKC", email).strip().lower()
    if not _EMAIL.match(email) or not email.isprintable():
        raise BadRequest.about("email", _("Enter an email address"))
    return email


def check_password(password: str, email: str, *, field: str = "password") -> None:
    """At least 12 characters, at most 128, not among the commonest and not the address. Raises BadRequest."""
    if len(password) < PASSWORD_SHORTEST:
        raise BadRequest.about(
            field, _("Use at least {password_shortest} characters").format(password_shortest=PASSWORD_SHORTEST)
        )
    if len(password) > PASSWORD_LONGEST:
        raise BadRequest.about(
            field, _("Use at most {password_longest} characters").format(password_longest=PASSWORD_LONGEST)
        )
    if password.lower() in COMMON or password.lower() == email.lower() or len(set(password)) < 4:
        raise BadRequest.about(field, _("This password is too easy to guess. Enter another one"))


def clean_name(name: str) -> str:
    """A person's name: at most 100 characters, or empty. Raises BadRequest."""
    name = names.one_line(name)
    if name and not names.is_name(name):
        raise BadRequest.about("name", _("Use at most 100 characters"))
    return name


def clean_time_zone(name: str) -> str:
    """A zone of the IANA database; UTC for anything else."""
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, LookupError):
        return "UTC"


def session_ends(*, created_at: int, seen_at: int) -> int:
    """The expiry of a session: 7 days after its last use, 30 days after its creation."""
    return min(created_at + SESSION_LIFE, seen_at + SESSION_IDLE)


def wait_after(wrong: int) -> int:
    """Seconds to wait after `wrong` codes in a row: 30 after the fifth, then twice as many, at most 3,600."""
    if wrong < CODE_TRIES:
        return 0
    return min(_LONGEST_WAIT, _FIRST_WAIT << min(wrong - CODE_TRIES, 16))
