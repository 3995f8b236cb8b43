"""kill -9 while payments arrive: each acknowledged one is on disk, and what is sent again is stored once."""

import http.client
import json
import time
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import httpx
import pytest

from analytics_box.base.store.schema import EVENTS_FILE
from tests.crash.clients import Clients
from tests.products.revenue.world import SECRET, signed, stripe_event
from tests.running import UNLIMITED, Account, Server, serving, set_up

CLIENTS = 4
SETTINGS = UNLIMITED | {"limit_webhooks": 0, "limit_rpc": 0, "limit_key": 0}


class PaymentStorm:
    """Clients that report payments as fast as they are answered: every second one is a webhook, the others events.

    `acknowledged` are the ids that were answered 200, `unanswered` those whose answer never came.
    """

    def __init__(self, url: str, account: Account, webhook: str, label: str) -> None:
        self.acknowledged: set[str] = set()
        self.unanswered: set[str] = set()
        self.others: list[tuple[int, bytes]] = []
        self._account, self._webhook, self._label = account, webhook, label
        self.clients = Clients(url, CLIENTS, self._send)

    def wait_until_acknowledged(self, number: int) -> None:
        assert self.clients.wait_until(lambda: len(self.acknowledged) >= number), self.others[:3]

    def _send(self, connection: http.client.HTTPConnection, client: int, turn: int) -> bool:
        name = f"{self._label}-{client}-{turn}"
        name = f"ch_{name}" if turn % 2 else f"order-{name}"
        try:
            status, body = report(connection, name, self._account, self._webhook)
        except (OSError, http.client.HTTPException):
            with self.clients.changed:
                self.unanswered.add(name)
            raise
        with self.clients.changed:
            if status == 200:
                self.acknowledged.add(name)
            else:
                self.others.append((status, body))
        return True


def report(connection: http.client.HTTPConnection, name: str, account: Account, webhook: str) -> tuple[int, bytes]:
    """Report the payment of this name by a webhook or by an event; the answer."""
    headers = {"Content-Type": "application/json"}
    if name.startswith("ch_"):
        charge = {"id": name, "amount": 1230, "amount_captured": 1230, "captured": True, "currency": "eur"}
        seconds = int(time.time())
        body = json.dumps(stripe_event("charge.succeeded", seconds * 1000, **charge)).encode()
        headers["Stripe-Signature"] = signed("stripe", body, seconds)["stripe_signature"]
        path = webhook
    else:
        properties = {"revenue": "12.30", "currency": "EUR", "orderId": name}
        event = {"name": "purchase", "websiteId": account.website_id, "eventId": name, "properties": properties}
        headers["X-Api-Key"] = account.api_key
        path, body = "/track", json.dumps(event | {"anonymousId": "ada"}).encode()
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def webhook_of(url: str, account: Account) -> str:
    content = {"websiteId": account.website_id, "provider": "stripe", "secret": SECRET}
    answer = httpx.post(f"{url}/revenue/createProvider", json=content, headers={"x-api-key": account.api_key})
    assert answer.status_code == 200, answer.text
    return str(urlsplit(answer.json()["url"]).path)


def stored_payments(data_dir: Path) -> list[str]:
    db = apsw.Connection(str(data_dir / EVENTS_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert db.pragma("quick_check") == "ok"
        rows = db.execute(
            "select value from transactions join strings on strings.id = transaction_id where amount = 1230"
        ).fetchall()
    finally:
        db.close()
    return sorted(str(value) for (value,) in rows)


@pytest.mark.crash
def test_acknowledged_payments_survive_kill_9_and_retries_store_none_twice(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    server = Server(data_dir, SETTINGS)
    try:
        server.wait_until_ready()
        webhook = webhook_of(server.url, account)
        storm = PaymentStorm(server.url, account, webhook, "first")
        with storm.clients:
            storm.wait_until_acknowledged(200)
            server.kill()
    finally:
        server.kill()
    assert storm.others == []
    kept = stored_payments(data_dir)
    assert storm.acknowledged - set(kept) == set()
    assert len(kept) == len(set(kept))

    # Providers and clients send what was not answered again, and some of what was.
    again = storm.unanswered | set(sorted(storm.acknowledged)[:50])
    with serving(data_dir, **SETTINGS) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
        answers = [report(connection, name, account, webhook) for name in sorted(again)]
        connection.close()
    assert {status for status, _ in answers} == {200}
    kept = stored_payments(data_dir)
    assert set(kept) == storm.acknowledged | storm.unanswered
    assert len(kept) == len(set(kept))
