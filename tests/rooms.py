"""The world for tests of all resources: two organizations with the same websites, and people with a role in each.

`Rooms` wraps a whole box. A person of a test belongs to both organizations and acts from the one that their session is
on, so that a test can ask for what is in the other one.
"""

import json
from collections.abc import Collection, Mapping
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode

from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.identity import Role
from analytics_box.base.settings import Settings
from tests.inprocess import Answer, WholeBox

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin", "accept": "text/html"}


def unlimited(settings: Settings) -> Settings:
    """Settings of a box that takes as many requests as a test of every field and role makes."""
    limits = {name: 0 for name in Settings.__struct_fields__ if name.startswith("limit_")}
    return replace(settings, **limits)


class Rooms:
    """A box whose second organization has the same things as the first. `builder` owns both organizations."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.own, self.other = box.organization_id, box.foreign_organization_id
        self.websites = {self.own: box.sites["shop"], self.other: box.sites["foreign"]}
        self.builder = self.person({self.own: "owner", self.other: "owner"})

    def person(self, roles: Mapping[str, Role], resources: Collection[str] | None = None) -> str:
        """The cookie of a new user with these roles by organization; the session is on the first of them.

        In the first one they can access these resources only, if given.
        """
        user_id, token, now = ids.new_id(), ids.new_token(), self.box.clock.now()

        def write(db: Any) -> None:
            db.execute(
                "insert into users (id, email, password, created_at) values (?, ?, '', ?)",
                (user_id, f"{user_id}@example.com", now),
            )
            for number, (organization_id, role) in enumerate(roles.items()):
                stored = None if number or resources is None else json.dumps([*resources])
                db.execute(
                    "insert into members (organization_id, user_id, role, created_at, resources) "
                    "values (?, ?, ?, ?, ?)",
                    (organization_id, user_id, role, now + number, stored),
                )
            db.execute(
                "insert into sessions (digest, user_id, organization_id, created_at, seen_at) values (?, ?, ?, ?, ?)",
                (ids.digest(token), user_id, next(iter(roles)), now, now),
            )

        self.box.box.box_db.write_now(write)
        return f"{self.box.box.sign_ins.cookie_name}={token}"

    def call(self, procedure: str, given: Mapping[str, Any], cookie: str = "") -> Answer:
        """A procedure, as the builder unless another cookie is given."""
        path = "/" + procedure.replace(".", "/")
        return self.box.post(path, given, cookie=cookie or self.builder, sec_fetch_site="same-origin")

    def good(self, procedure: str, given: Mapping[str, Any], cookie: str = "") -> Any:
        """The answer of a procedure that succeeds."""
        answer = self.call(procedure, given, cookie)
        assert answer.status == 200, (procedure, answer.json.get("details") or answer.json, given)
        return answer.json

    def page(self, path: str, cookie: str = "") -> Answer:
        return self.box.get(path, cookie=cookie or self.builder, accept="text/html")

    def send(self, path: str, fields: Mapping[str, str] | list[tuple[str, str]], cookie: str = "") -> Answer:
        """Post a form."""
        headers = FORM | {"cookie": cookie or self.builder}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of box.db."""
        found: list[tuple[Any, ...]] = self.box.box.box_db.read_now(lambda db: db.execute(statement, values).fetchall())
        return found


class Form(NamedTuple):
    """A form of a page: where it is posted, and what a browser sends with the first button if nothing is edited."""

    action: str
    method: str
    fields: list[tuple[str, str]]
    names: frozenset[str]


class PageParts(NamedTuple):
    """The addresses on a page that a person can follow, and its forms."""

    links: tuple[str, ...]
    forms: tuple[Form, ...]


def seen(html: str, path: str) -> PageParts:
    """The links and forms of a page at this path."""
    parser = _Parser(path)
    parser.feed(html)
    return PageParts(tuple(parser.links), tuple(Form(*one[:3], frozenset(one[3])) for one in parser.forms))


class _Parser(HTMLParser):
    """Collects what a browser without scripts would send."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.forms: list[tuple[str, str, list[tuple[str, str]], set[str]]] = []
        self._open: int | None = None
        self._by_id: dict[str, int] = {}
        self._area: tuple[str, int] | None = None
        self._select: tuple[str, int, list[str], list[str], bool] | None = None
        self._option: tuple[str | None, bool] | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href", "").startswith("/"):
            self.links.append(given["href"])
        elif tag == "form":
            self.forms.append((given.get("action") or self.path, given.get("method", "get").upper(), [], set()))
            self._open = len(self.forms) - 1
            if "id" in given:
                self._by_id[given["id"]] = self._open
        elif tag in {"input", "button"}:
            self._control(tag, given)
        elif tag == "textarea":
            self._area, self._text = (given.get("name", ""), self._form_of(given)), ""
        elif tag == "select":
            self._select = (given.get("name", ""), self._form_of(given), [], [], "multiple" in given)
        elif tag == "option" and self._select is not None:
            self._option = (given.get("value"), "selected" in given)
            self._text = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "option" and self._select is not None and self._option is not None:
            value = self._option[0] if self._option[0] is not None else self._text.strip()
            self._select[3].append(value)
            if self._option[1]:
                self._select[2].append(value)
            self._option = None
        elif tag == "textarea" and self._area is not None:
            name, form = self._area
            self._add(form, name, self._text.removeprefix("\n"))
            self._area = None
        elif tag == "select" and self._select is not None:
            name, form, chosen, options, multiple = self._select
            if not chosen and options and not multiple:
                chosen = options[:1]
            for value in chosen:
                self._add(form, name, value)
            if name and form >= 0:
                self.forms[form][3].add(name)
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._area is not None or self._option is not None:
            self._text += data

    def _form_of(self, given: Mapping[str, str]) -> int:
        if "form" in given:
            return self._by_id.get(given["form"], -1)
        return self._open if self._open is not None else -1

    def _control(self, tag: str, given: Mapping[str, str]) -> None:
        form, name = self._form_of(given), given.get("name", "")
        kind = given.get("type", "submit" if tag == "button" else "text")
        if form < 0 or "disabled" in given:
            return
        if name:
            self.forms[form][3].add(name)
        if kind in {"submit", "button", "reset", "image", "file"}:
            return
        if kind in {"checkbox", "radio"} and "checked" not in given:
            return
        self._add(form, name, given.get("value", "on" if kind == "checkbox" else ""))

    def _add(self, form: int, name: str, value: str) -> None:
        if name and form >= 0:
            self.forms[form][2].append((name, value))
            self.forms[form][3].add(name)
