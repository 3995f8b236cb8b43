"""Signing in and staying signed in: sessions in box.db behind a cookie that is stored hashed (security: sessions)."""

from typing import Literal

from analytics_box.base import errors, ids
from analytics_box.base.clock import Clock
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.tenants.accounts import rows, rules
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.rows import AccountSession
from analytics_box.tenants.accounts.rules import User
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.source import is_local


class SignIns:
    """The sign-in sessions of this box. On https the cookie is bound to the host and never sent in clear."""

    def __init__(self, box: Db, passwords: Passwords, clock: Clock, *, secure: bool) -> None:
        self._box = box
        self._passwords = passwords
        self._clock = clock
        self._secure = secure
        self.cookie_name = "__Host-session" if secure else "session"

    async def check(self, email: str, password: str) -> User:
        """The user with this email and password. Raises AuthRequired, after the same time for unknown users."""
        found = await self._box.read(lambda db: rows.user_by_email(db, email.strip().lower()))
        good = await self._passwords.verify(found.password if found else None, password[: rules.PASSWORD_LONGEST + 1])
        if not good or found is None:
            raise errors.AuthRequired(_("Incorrect email or password"))
        return found

    async def open_for(self, user_id: str, *, device: str = "", instead_of: str = "") -> str:
        """Start a session for a user who has proven who they are; the cookie's new secret.

        The session of the cookie `instead_of` ends. Raises Forbidden for a user without an organization.
        """
        token, now = ids.new_token(), self._clock.now()

        def write(db: Connection) -> None:
            organization_id = rows.first_organization_of(db, user_id)
            if organization_id is None:
                raise errors.Forbidden(_("This account does not belong to an organization"))
            if instead_of:
                rows.delete_session(db, ids.digest(instead_of))
            rows.insert_session(
                db,
                digest=ids.digest(token),
                user_id=user_id,
                organization_id=organization_id,
                device=device,
                now=now,
            )

        await self._box.write(write)
        return token

    async def find(self, token: str) -> SignedInPerson | None:
        """The person behind a cookie, while the session lasts; notes every five minutes that it is used."""
        digest, now = ids.digest(token), self._clock.now()
        found, memberships = await self._box.read(lambda db: rows.find_with_memberships(db, digest))
        if found is None or rules.session_ends(created_at=found.created_at, seen_at=found.seen_at) <= now:
            return None
        if now - found.seen_at > rules.SESSION_TOUCH:
            await self._box.write(lambda db: rows.touch_session(db, digest, now))
        return SignedInPerson(
            user_id=found.user_id,
            organization_id=found.organization_id,
            role=found.role,
            email=found.email,
            time_zone=found.time_zone,
            theme=found.theme,
            date_format=found.date_format,
            time_format=found.time_format,
            week_start=found.week_start,
            memberships=tuple(memberships),
            session=found.digest,
            is_administrator=found.is_administrator,
        )

    async def turn_to(self, person: SignedInPerson, organization_id: str) -> None:
        """Make another organization the active one of a person's session. Raises Forbidden for those of others."""
        if not await self._box.write(lambda db: rows.set_organization(db, person.session, organization_id)):
            raise errors.Forbidden(_("Access denied to this organization"))

    async def of_user(self, user_id: str) -> list[AccountSession]:
        """The sessions of a user that still work, the one seen last first."""
        now = self._clock.now()
        found = await self._box.read(lambda db: rows.sessions_of_user(db, user_id))
        return [one for one in found if rules.session_ends(created_at=one.created_at, seen_at=one.seen_at) > now]

    def replace(self, db: Connection, person: SignedInPerson, *, device: str) -> str:
        """Inside a write that changes how a user signs in: end all their sessions, and start one for this browser.

        It stays on the organization that the old one was on. The cookie's new secret.
        """
        token, now = ids.new_token(), self._clock.now()
        rows.delete_sessions_of_user(db, person.user_id)
        rows.insert_session(
            db,
            digest=ids.digest(token),
            user_id=person.user_id,
            organization_id=person.organization_id,
            device=device,
            now=now,
        )
        return token

    async def close(self, token: str) -> None:
        """End the session of this cookie."""
        digest = ids.digest(token)
        await self._box.write(lambda db: rows.delete_session(db, digest))

    def cookie(self, token: str) -> str:
        """The Set-Cookie header that starts a session, or with an empty token ends it."""
        return self.cookie_of(self.cookie_name, token, seconds=rules.SESSION_LIFE // 1000)

    def cookie_of(self, name: str, token: str, *, seconds: int) -> str:
        """A Set-Cookie header that only this box reads; with an empty token it takes the cookie away."""
        secure = "; Secure" if self._secure else ""
        return f"{name}={token}; Path=/; Max-Age={seconds if token else 0}; HttpOnly; SameSite=Lax{secure}"


Reached = Literal["https", "local", "plain"]


def transport_of(settings: Settings) -> Reached:
    """Over https, in clear from this machine alone, or in clear over a network."""
    if settings.secure:
        return "https"
    return "local" if is_local(url_parts(settings.public_url).hostname or "") else "plain"


_KINDS = {"mobile": _("phone"), "tablet": _("tablet")}


def device_name(user_agent: str) -> str:
    """A device in words, such as "Firefox on Linux" or "Chrome on Android, phone"; empty if unknown."""
    found = agent.parse(user_agent[:1_000])
    if not found.browser and not found.system:
        return ""
    words = _("{browser} on {system}").format(
        browser=found.browser or _("A browser"), system=found.system or _("an unknown system")
    )
    kind = _KINDS.get(found.device, "")
    text = f"{words}, {kind}" if kind else words
    return "".join(letter for letter in text if letter.isprintable())[:100]
