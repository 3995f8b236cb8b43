"""A box that stops ends its streams first: nobody waits for what never ends."""

from pathlib import Path

import httpx

from tests.running import running_box


def test_a_box_with_open_streams_stops_in_order(tmp_path: Path) -> None:
    with running_box(tmp_path / "data") as box:
        streams = f"{box.url}/public/v1/flags/{box.account.website_id}/ofrep/v1/streams"
        with httpx.stream("GET", streams, timeout=30) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("retry:")
            assert box.server.stop() == 0
            assert [line for line in lines if line.startswith("event:")] == ["event: message"]
        assert "in flight after" not in box.server.printed()
        assert "broken off" not in box.server.printed()
