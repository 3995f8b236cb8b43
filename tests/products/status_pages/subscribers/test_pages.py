"""The pages of subscribers behind the front: what browsers and mail programs get."""

from urllib.parse import urlencode

from tests.inprocess import Answer
from tests.products.status_pages.subscribers.world import ADA, API, SHOP, World, link_in

FORM = {"content_type": "application/x-www-form-urlencoded"}
MULTIPART = b'--edge\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--edge--\r\n'


def post(here: World, rest: str, **fields: str) -> Answer:
    """A form of the page itself."""
    given = {name.replace("__", "."): value for name, value in fields.items()}
    headers = FORM | {"sec_fetch_site": "same-origin"}
    return here.box.ask("POST", f"/status/acme/{rest}", headers=headers, body=urlencode(given).encode())


def test_a_visitor_subscribes_confirms_chooses_and_leaves_without_a_cookie(here: World) -> None:
    page = here.box.get("/status/acme/subscribe")
    assert page.status == 200
    assert "no-store" in page.headers["cache-control"]
    for said in (b'name="address"', b"api", b"shop", b'action="/status/acme/subscribe"'):
        assert said in page.body
    assert post(here, "subscribe", address=ADA, about="all").status == 200
    here.send()
    path = link_in(here.mails()[0][1])
    opened = here.box.get(f"/status/acme/{path}")
    assert b'value="confirm"' in opened.body
    assert opened.headers["referrer-policy"] in {"same-origin", "no-referrer"}
    assert "set-cookie" not in opened.headers
    confirmed = post(here, path, action="confirm", about="some", **{f"component__{API}": "on"})
    assert b"Subscription confirmed. Updates from Acme" in confirmed.body
    assert (here.says("investigating", "Slow.", SHOP), here.says("resolved", "Over.", API)) == (0, 1)
    assert b"Unsubscribed" in post(here, path, action="leave").body
    gone = here.box.get(f"/status/acme/{path}")
    assert (gone.status, b"no longer valid" in gone.body) == (404, True)


def test_typed_text_comes_back_escaped(here: World) -> None:
    answer = post(here, "subscribe", address='"><script>alert(1)</script>', about="all")
    assert answer.status == 400
    assert b"<script" not in answer.body
    assert b"&lt;script&gt;" in answer.body


def test_a_mail_program_ends_it_with_one_click_in_either_form(here: World) -> None:
    for headers, body in (
        (FORM, b"List-Unsubscribe=One-Click"),
        ({"content_type": "multipart/form-data; boundary=edge"}, MULTIPART),
    ):
        path = here.confirmed()
        answer = here.box.ask("POST", f"/status/acme/{path}", headers=headers, body=body)
        assert answer.status == 200
        assert here.rows("select count(*) from subscribers") == [(0,)]
        here.box.clock.advance(seconds=40_000)


def test_all_components_of_a_large_page_can_be_chosen(here: World) -> None:
    fields = {f"component__{number:03}": "on" for number in range(100)}
    answer = post(here, "subscribe", address=ADA, about="some", **fields)
    assert b"not on this page" in answer.body  # it was read to its end


def test_the_secret_of_a_webhook_is_shown_for_an_hour(here: World) -> None:
    answer = post(here, "subscribe", address=here.outside.hook, about="all")
    assert answer.status == 303
    where = answer.headers["location"]
    assert where.startswith("/status/acme/subscription/")
    assert b"whsec_" in here.box.get(where).body
    here.send()
    assert b"whsec_" in here.box.get(where).body  # it may confirm before anybody has seen the page
    here.box.clock.advance(seconds=3_601)
    assert b"whsec_" not in here.box.get(where).body


def test_strangers_do_not_learn_why_a_webhook_was_not_reached(here: World) -> None:
    here.outside.web.reply = lambda _: b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
    where = post(here, "subscribe", address=here.outside.hook, about="all").headers["location"]
    here.send()
    shown = here.box.get(where).body
    assert b"did not respond with the challenge" in shown
    assert b"503 Busy" not in shown
    assert b" 503" not in shown
