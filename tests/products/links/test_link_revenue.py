"""The revenue of a short link: payments of the sessions that came from it, on the websites that its viewer can see."""

from pathlib import Path
from typing import Any

from tests.inprocess import whole_box
from tests.products.links.world import PageWorld


def test_link_shows_the_revenue_of_the_sessions_that_came_from_it_if_there_is_any(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        world = PageWorld(box)
        flyer, other = (world.link(name=name, targetUrl=f"https://shop.example/{name}") for name in ("flyer", "other"))

        def send(path: str, **event: Any) -> None:
            event = {"name": "screen_view", "path": f"https://shop.example{path}"} | event
            assert box.post(f"/?client_id={box.sites['shop']}", event, origin="https://shop.example").status == 200

        def shown(link: dict[str, Any], more: str = "") -> str:
            return world.seen(f"/links/{link['id']}?range=today&wait=all{more}")

        for link in (other, flyer):
            world.follow(link["slug"])
            box.clock.advance(seconds=301 if link is other else 1)
        send("/flyer")
        assert "Revenue of the sessions" not in shown(flyer)
        for number, (amount, currency) in enumerate((("12.30", "EUR"), ("0.10", "EUR"), ("500", "JPY"))):
            send("/pay", name="paid", properties={"revenue": amount, "currency": currency, "orderId": str(number)})
        world.counted()
        assert "Revenue of the sessions that came from this link: ¥500 and €12.40" in shown(flyer)
        # The filters of a link's page select clicks, not payments.
        assert "Revenue of the sessions" not in shown(flyer, "&country=Germany")
        assert "Revenue of the sessions" not in shown(other)
