"""People of every role in the box of a test, and how they ask."""

from urllib.parse import urlencode

from analytics_box.base import ids
from analytics_box.base.identity import Role
from analytics_box.tenants.accounts import passwords, rows, rules
from analytics_box.tenants.tenancy import rows as tenancy_rows
from tests.inprocess import Answer, WholeBox
from tests.tenants.organizations.pictures import BOUNDARY

SENTENCE = "an unused password"
FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}


class World:
    """Adds people and speaks for them; everyone's e-mail is <name>@example.com, and the owner is ada."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.ids: dict[str, str] = {"ada": box.user_id}
        self._cookies: dict[str, str] = {}
        self._hash = passwords.hash_now(SENTENCE)

    def add(self, name: str, role: Role, organization_id: str | None = None) -> str:
        """A new person with this role; the user's id."""
        now = self.box.clock.now()
        user = rules.User(ids.new_id(), f"{name}@example.com", self._hash, "UTC", False, now)
        self.box.box.box_db.write_now(lambda db: rows.insert_user(db, user))
        self.ids[name] = user.id
        self.join(name, role, organization_id)
        return user.id

    def join(self, name: str, role: Role, organization_id: str | None = None) -> None:
        """A known person joins an organization."""
        self.box.clock.advance(seconds=1)
        where, now = organization_id or self.box.organization_id, self.box.clock.now()
        self.box.box.box_db.write_now(
            lambda db: tenancy_rows.insert_member(db, organization_id=where, user_id=self.ids[name], role=role, now=now)
        )

    def cookie(self, name: str) -> str:
        """A session of this person, the same all the time."""
        if name not in self._cookies:
            token = self.box.run(self.box.box.sign_ins.open_for(self.ids[name]))
            self._cookies[name] = f"{self.box.box.sign_ins.cookie_name}={token}"
        return self._cookies[name]

    def forget(self, name: str) -> None:
        """The next request of this person signs in anew."""
        self._cookies.pop(name, None)

    def signs_in(self, name: str) -> Answer:
        """The form of the page /sign-in, with the password that everybody here has."""
        return self.send(None, "/sign-in", email=f"{name}@example.com", password=SENTENCE)

    def call(self, name: str, procedure: str, /, **given: object) -> Answer:
        """A procedure, plainly."""
        path = procedure.replace(".", "/")
        return self.box.post(f"/{path}", given, cookie=self.cookie(name), sec_fetch_site="same-origin")

    def see(self, name: str, target: str) -> Answer:
        return self.box.get(target, cookie=self.cookie(name), accept="text/html")

    def send(self, name: str | None, target: str, /, **fields: str) -> Answer:
        """A form, sent by somebody who may be signed in."""
        headers = {**FORM, "accept": "text/html", **({"cookie": self.cookie(name)} if name else {})}
        return self.box.ask("POST", target, headers=headers, body=urlencode(fields).encode())

    def send_bytes(self, name: str, target: str, content: bytes) -> Answer:
        """A form with a file."""
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        headers = {**FORM, "content_type": kind, "accept": "text/html", "cookie": self.cookie(name)}
        return self.box.ask("POST", target, headers=headers, body=content)

    def roles(self, organization_id: str | None = None) -> dict[str, str]:
        """Role by name, as it is stored."""
        where = organization_id or self.box.organization_id
        names = {user_id: name for name, user_id in self.ids.items()}
        found = self.box.box.box_db.read_now(
            lambda db: db.execute("select user_id, role from members where organization_id = ?", (where,)).fetchall()
        )
        return {names.get(str(user_id), str(user_id)): str(role) for user_id, role in found}

    def audited(self) -> list[tuple[str, str, str]]:
        """What the audit log has since the box was filled: action, subject and actor."""
        found = self.box.box.box_db.read_now(
            lambda db: db.execute(
                "select action, subject, actor from audit where actor <> 'test' order by id"
            ).fetchall()
        )
        return [(str(action), str(subject), str(actor)) for action, subject, actor in found]
