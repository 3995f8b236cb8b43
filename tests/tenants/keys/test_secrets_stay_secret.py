"""No secret of a key comes into a log line, a database, a page that lists keys, or the audit log (security)."""

import logging
import re

import pytest

from tests.inprocess import WholeBox
from tests.tenants.keys.world import call, make

SECRET = re.compile(rb"svc_[0-9A-Za-z]{20,}")


def test_a_keys_whole_life_leaves_no_secret_behind(
    box: WholeBox, owner: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    made = make(box, owner, scopes=["read:data", "track:events"])
    rotated = call(box, "rotate", {"id": made["id"]}, owner).json
    for secret in (made["secret"], rotated["secret"], "svc_" + "Z" * 48):
        box.get("/v1/query/websites", x_api_key=secret)
        box.get(f"/v1/query/websites?api_key={secret}")
        box.get(f"/{secret}")
        box.post("/track", {"name": "seen"}, x_api_key=secret)
        box.post("/track", b"broken", authorization=f"Bearer {secret}")
        box.post("/v1/query", {"parameters": [secret]}, x_api_key=secret)
        box.post("/apikeys/verify", {"secret": secret})
        box.post("/rpc/apikeys/verify", {"json": {"secret": secret, "mode": secret}})
        call(box, "getById", {"id": secret}, owner)
    call(box, "revoke", {"id": made["id"]}, owner)
    call(box, "delete", {"id": made["id"]}, owner)

    printed = capfd.readouterr()
    for text in (caplog.text, printed.out, printed.err):
        assert not SECRET.search(text.encode())
    audit = box.box.box_db.read_now(lambda db: db.execute("select group_concat(detail) from audit").fetchall())
    assert not SECRET.search(str(audit).encode())
    for path in box.box.settings.data_dir.iterdir():
        assert not SECRET.search(path.read_bytes())
    assert not SECRET.search(box.get("/settings/keys", cookie=owner).body)
