"""Payment providers that sign as their own libraries do, and their events with made-up data."""

import hashlib
import hmac
import json
from typing import Any

from tests.ingest.rows import rows
from tests.inprocess import Answer, WholeBox

SECRET = "whsec_0123456789abcdefghijklmnop"


def add_provider(box: WholeBox, provider: str = "stripe", site: str = "shop") -> str:
    """The path of a new provider's webhook."""
    body = {"websiteId": box.sites[site], "provider": provider, "secret": SECRET}  # type: ignore[index]  # this box has sites
    answer = box.post("/revenue/createProvider", body, key="all")
    assert answer.status == 200, answer.body
    url: str = answer.json["url"]
    return url[url.index("/webhooks/") :]


def signed(provider: str, body: bytes, seconds: int, secret: str = SECRET) -> dict[str, str]:
    between = "." if provider == "stripe" else ":"
    digest = hmac.new(secret.encode(), f"{seconds}{between}".encode() + body, hashlib.sha256).hexdigest()
    if provider == "stripe":
        return {"stripe_signature": f"t={seconds},v1={digest}"}
    return {"paddle_signature": f"ts={seconds};h1={digest}"}


def deliver(box: WholeBox, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    return box.ask("POST", path, headers={"content_type": "application/json", **headers}, body=body)


def send(box: WholeBox, path: str, event: dict[str, Any]) -> Answer:
    """Send a signed event, as delivered now."""
    body = json.dumps(event).encode()
    return deliver(box, path, body, signed(path.split("/")[2], body, box.clock.now() // 1000))


def stripe_event(kind: str, time: int, **data: Any) -> dict[str, Any]:
    return {
        "id": f"evt_{kind}_{time}",
        "object": "event",
        "type": kind,
        "created": time // 1000,
        "data": {"object": data},
    }


def paddle_event(kind: str, at: str, **data: Any) -> dict[str, Any]:
    return {"event_id": f"evt_{kind}", "event_type": kind, "occurred_at": at, "notification_id": "ntf_1", "data": data}


def stored(box: WholeBox) -> list[tuple[Any, ...]]:
    """The type, status, lifecycle, amount and currency of all transactions."""
    return rows(box, "transactions", "payment_type", "payment_status", "lifecycle", "amount", "currency")
