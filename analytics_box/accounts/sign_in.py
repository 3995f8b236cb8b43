"""Signing in and staying signed in: sessions in box.db behind a cookie that is stored hashed (security: sessions)."""

from analytics_box import errors, ids
from analytics_box.accounts import rows, rules
from analytics_box.accounts.passwords import Passwords
from analytics_box.clock import Clock
from analytics_box.identity import Person
from analytics_box.store.db import Db


class SignIns:
    """The sign-in sessions of this box. On https the cookie is bound to the host and never sent in clear."""

    def __init__(self, box: Db, passwords: Passwords, clock: Clock, *, secure: bool) -> None:
        self._box = box
        self._passwords = passwords
        self._clock = clock
        self._secure = secure
        self.cookie_name = "__Host-session" if secure else "session"

    async def open(self, email: str, password: str) -> str:
        """Check a password and start a session; returns the cookie's secret. Raises AuthRequired."""
        found = await self._box.read(lambda db: rows.user_by_email(db, email.strip().lower()))
        good = await self._passwords.verify(found.password if found else None, password[: rules.PASSWORD_LONGEST + 1])
        if not good or found is None:
            raise errors.AuthRequired("E-mail or password is wrong")
        return await self.open_for(found.id)

    async def open_for(self, user_id: str) -> str:
        """Start a session for a user who has proven who they are. Raises Forbidden without an organization."""
        organization_id = await self._box.read(lambda db: rows.first_organization_of(db, user_id))
        if organization_id is None:
            raise errors.Forbidden("This account belongs to no organization")
        token, now = ids.new_token(), self._clock.now()
        await self._box.write(
            lambda db: rows.insert_session(
                db, digest=ids.digest(token), user_id=user_id, organization_id=organization_id, now=now
            )
        )
        return token

    async def find(self, token: str) -> Person | None:
        """The person behind a cookie, while the session lasts; notes every five minutes that it is used."""
        digest, now = ids.digest(token), self._clock.now()
        found = await self._box.read(lambda db: rows.session(db, digest))
        if found is None or rules.session_ends(created_at=found.created_at, seen_at=found.seen_at) <= now:
            return None
        if now - found.seen_at > rules.SESSION_TOUCH:
            await self._box.write(lambda db: rows.touch_session(db, digest, now))
        return Person(
            user_id=found.user_id,
            organization_id=found.organization_id,
            role=found.role,
            email=found.email,
            time_zone=found.time_zone,
        )

    async def close(self, token: str) -> None:
        """End the session of this cookie."""
        digest = ids.digest(token)
        await self._box.write(lambda db: rows.delete_session(db, digest))

    async def sweep(self) -> None:
        """Forget sessions that have ended."""
        now = self._clock.now()
        await self._box.write(
            lambda db: rows.delete_old_sessions(
                db, created_before=now - rules.SESSION_LIFE, seen_before=now - rules.SESSION_IDLE
            )
        )

    def cookie(self, token: str) -> str:
        """The Set-Cookie header that starts a session, or with an empty token ends it."""
        age = rules.SESSION_LIFE // 1000 if token else 0
        secure = "; Secure" if self._secure else ""
        return f"{self.cookie_name}={token}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}"
