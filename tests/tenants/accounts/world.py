"""What people do on the pages of accounts, for the tests of this folder."""

import re
from base64 import b32decode
from urllib.parse import urlencode

from analytics_box.base.acting import By
from analytics_box.tenants.accounts import password_reset, second_factor
from tests.inprocess import EMAIL, PASSWORD, Answer, WholeBox

SECURITY = "/settings/security"
NEW = "another long and quiet sentence"
FORM = "application/x-www-form-urlencoded"


def send(box: WholeBox, path: str, cookie: str = "", **fields: str) -> Answer:
    """Post a form as a page of the box does."""
    headers = {"content_type": FORM, "cookie": cookie, "sec_fetch_site": "same-origin"}
    return box.ask("POST", path, headers=headers, body=urlencode(fields).encode())


def sign_in(box: WholeBox, password: str = PASSWORD, cookie: str = "") -> Answer:
    """The owner's e-mail and a password, in a browser that may have a cookie already."""
    return send(box, "/sign-in", cookie, email=EMAIL, password=password)


def cookie_of(answer: Answer) -> str:
    """The cookie that an answer sets, as a browser sends it."""
    return answer.headers["set-cookie"].partition(";")[0]


def works(box: WholeBox, cookie: str) -> bool:
    """Whether somebody is signed in with this cookie."""
    return box.get("/v1/query/websites", cookie=cookie).status == 200


def reset_link(box: WholeBox) -> str:
    """A link that sets the owner's password anew."""
    now = box.clock.now()
    return box.box.box_db.write_now(
        lambda db: password_reset.new_link(db, EMAIL, base_url="", by=By("command line", now))
    )


def begin(box: WholeBox, cookie: str) -> bytes:
    """Begin the second factor; its secret, read off the page as an app does."""
    assert send(box, f"{SECURITY}/second-factor", cookie, password=PASSWORD).status == 303
    page = box.get(f"{SECURITY}/second-factor", cookie=cookie).body.decode()
    (text,) = re.findall(r'<code id="key">([A-Z2-7 ]+)</code>', page)
    return b32decode(text.replace(" ", ""))


def code(box: WholeBox, secret: bytes) -> str:
    """What an app shows now."""
    return second_factor.code_at(secret, box.clock.now() // second_factor.STEP)


def turn_on(box: WholeBox) -> tuple[str, bytes, list[str]]:
    """Turn the second factor on: the session's new cookie, the app's secret, the recovery codes."""
    cookie = box.cookie
    secret = begin(box, cookie)
    done = send(box, f"{SECURITY}/second-factor/confirm", cookie, code=code(box, secret))
    assert done.status == 200
    shown = re.search(r'<code id="codes">(.*?)</code>', done.body.decode(), re.DOTALL)
    assert shown is not None
    assert not works(box, cookie), "the id changes with the second factor"
    return cookie_of(done), secret, shown[1].split()


def password_step(box: WholeBox) -> str:
    """Show the password; the cookie of the next step."""
    answer = sign_in(box)
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in/code")
    return cookie_of(answer)
