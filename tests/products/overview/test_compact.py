"""The small panels of an overview: errors and web vitals."""

import pytest

from analytics_box.products.overview import compact
from analytics_box.products.overview.compact import ErrorRow, ErrorSummary, VitalRow

RATED = [
    ("LCP", 2_500, "good", "2.5 s"),
    ("LCP", 2_501, "good", "2.5 s"),
    ("LCP", 2_551, "fair", "2.6 s"),
    ("LCP", 4_001, "fair", "4.0 s"),
    ("LCP", 4_051, "poor", "4.1 s"),
    ("INP", 200, "good", "200 ms"),
    ("INP", 501, "poor", "501 ms"),
    ("CLS", 0.1, "good", "0.10"),
    ("CLS", 0.251, "fair", "0.25"),
    ("CLS", 0.256, "poor", "0.26"),
    ("FCP", 1_900, "fair", "1.9 s"),
    ("TTFB", 799.6, "good", "800 ms"),
    ("TTFB", 800.4, "good", "800 ms"),
    ("TTFB", 999.6, "fair", "1.0 s"),
]


@pytest.mark.parametrize(("name", "value", "rating", "written"), RATED)
def test_a_metric_says_how_good_it_is(name: str, value: float, rating: str, written: str) -> None:
    (vital,) = compact.vitals([VitalRow(name, value, 1_200)])
    assert (vital.rating, vital.value.replace("\N{NO-BREAK SPACE}", " ")) == (rating, written)
    assert vital.samples == "1,200 measured"


def test_metrics_come_in_the_order_of_the_page_and_only_where_measured() -> None:
    rows = [VitalRow("TTFB", 1, 5), VitalRow("FPS", 60, 5), VitalRow("CLS", 0, 0), VitalRow("LCP", 1, 5)]
    assert [vital.name for vital in compact.vitals(rows)] == ["LCP", "TTFB"]


def test_errors_say_how_many_met_them() -> None:
    shown = compact.errors(ErrorSummary(12, 7, 1.25), [ErrorRow("Boom", 9, 4), ErrorRow("\u202egnp", 3, 3)])
    assert [(fact.value.replace("\N{NO-BREAK SPACE}", " "), fact.label) for fact in shown.facts] == [
        ("12", "errors"),
        ("7", "visitors affected"),
        ("1.3 %", "of sessions"),
    ]
    assert [(bar.label, bar.value, bar.share, bar.width) for bar in shown.bars] == [
        ("Boom", "9", "4", "w100"),
        ("\\u202egnp", "3", "3", "w33"),
    ]


def test_a_range_without_errors_has_nothing_to_say() -> None:
    assert not compact.errors(ErrorSummary(), []).facts
