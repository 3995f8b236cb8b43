"""Which hits fit, and which come first."""

from analytics_box.web.palette.hit import Hit, Kind, best, wanted


def hit(label: str, kind: Kind = "website", detail: str = "") -> Hit:
    return Hit(kind, label, f"/{label}", "globe", detail)


def test_each_word_has_to_be_somewhere() -> None:
    asked = wanted("  SHOP sett ")
    assert asked.fits("Shop: Settings")
    assert asked.fits("Settings", "shop.example")
    assert not asked.fits("Shop")
    assert wanted("").fits("")
    assert wanted("größe").fits("GRÖSSE") is wanted("grösse").fits("GRÖSSE") is True


def test_beginnings_come_before_what_is_inside_and_details_come_last() -> None:
    hits = [hit("Bookshop"), hit("Blog", detail="shop.example"), hit("My shop"), hit("Shop")]
    ((_, found),) = best(hits, wanted("shop"))
    assert [one.label for one in found] == ["Shop", "My shop", "Bookshop", "Blog"]


def test_the_kind_with_the_best_hit_comes_first_and_each_has_few() -> None:
    hits = [*(hit(f"Reshop {number}") for number in range(9)), hit("Shop link", "link")]
    found = best(hits, wanted("shop", most=3))
    assert [(kind, len(own)) for kind, own in found] == [("link", 1), ("website", 3)]
    assert [kind for kind, _ in best(hits, wanted(""))] == ["website", "link"]
