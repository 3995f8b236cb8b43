"""A box whose flags somebody keeps in a browser without scripts."""

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from analytics_box.products.flags.flag import Flag
from tests.inprocess import Answer
from tests.products.flags.world import World
from tests.rooms import seen


class Fields(HTMLParser):
    """What a browser would send of a form as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._select = self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "input" and name and (given.get("type") not in {"checkbox", "radio"} or "checked" in given):
            self.found[name] = value
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self.found):
            self.found[self._select] = value
        elif tag == "textarea":
            self._area, self.found[name] = name, ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""
        elif tag == "textarea" and self._area:
            text = self.found[self._area].removeprefix("\n")
            self.found[self._area], self._area = text.replace("\n", "\r\n"), ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.found[self._area] += data


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form in this page as they are."""
    reader = Fields()
    reader.feed(page.split("<form", 1)[1] if "flag-form" not in page else page.split('id="flag-form"', 1)[1])
    return reader.found


def form_with(page: str, path: str, name: str, value: str) -> dict[str, str]:
    """The fields of the one form that has this value."""
    (found,) = [dict(one.fields) for one in seen(page, path).forms if (name, value) in one.fields]
    return found


class Console:
    """The owner looks, or whoever has another cookie."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.box = world.box

    def answer(self, path: str, cookie: str = "") -> Answer:
        return self.box.get(path, cookie=cookie or self.world.owner, accept="text/html")

    def seen(self, path: str, cookie: str = "") -> str:
        """A page that is there."""
        answer = self.answer(path, cookie)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def sent(self, path: str, fields: dict[str, str], cookie: str = "", **headers: str) -> Answer:
        """The answer to a form."""
        form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        headers = form | headers | {"cookie": cookie or self.world.owner}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def gone_to(self, path: str, fields: dict[str, str]) -> str:
        """Where a form that is good leads."""
        answer = self.sent(path, fields)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"]

    def flag(self, path: str) -> Flag:
        """The flag of a page, as everybody gets it now."""
        found = self.world.flags.find(path.partition("?")[0].split("/")[2])
        assert found is not None
        return found

    def new(self, key: str, **fields: Any) -> dict[str, str]:
        """The form of a new flag, filled in."""
        return fields_of(self.seen("/flags/new")) | {"of": self.world.shop, "key": key, "do": "save"} | fields
