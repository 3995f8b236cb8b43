"""Which hits fit, and which come first."""

from analytics_box.web.palette.hit import Kind, PaletteHit, best, palette_search


def hit(label: str, kind: Kind = "website", detail: str = "") -> PaletteHit:
    return PaletteHit(kind, label, f"/{label}", "globe", detail)


def test_each_word_has_to_be_somewhere() -> None:
    asked = palette_search("  SHOP sett ")
    assert asked.fits("Shop: Settings")
    assert asked.fits("Settings", "shop.example")
    assert not asked.fits("Shop")
    assert palette_search("").fits("")
    assert palette_search("größe").fits("GRÖSSE") is palette_search("grösse").fits("GRÖSSE") is True


def test_beginnings_come_before_what_is_inside_and_details_come_last() -> None:
    hits = [hit("Bookshop"), hit("Blog", detail="shop.example"), hit("My shop"), hit("Shop")]
    ((_, found),) = best(hits, palette_search("shop"))
    assert [one.label for one in found] == ["Shop", "My shop", "Bookshop", "Blog"]


def test_the_kind_with_the_best_hit_comes_first_and_each_has_few() -> None:
    hits = [*(hit(f"Reshop {number}") for number in range(9)), hit("Shop link", "link")]
    found = best(hits, palette_search("shop", most=3))
    assert [(kind, len(own)) for kind, own in found] == [("link", 1), ("website", 3)]
    assert [kind for kind, _ in best(hits, palette_search(""))] == ["website", "link"]
