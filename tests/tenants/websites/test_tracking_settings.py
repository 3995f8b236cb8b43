"""Tracking settings over RPC: what is not given stays, what is wrong is named."""

from typing import Any

from tests.cases import each
from tests.inprocess import WholeBox
from tests.tenants.websites.world import call, row


def test_settings_that_are_not_given_stay(box: WholeBox) -> None:
    shop = box.sites["shop"]
    call(box, "updateSettings", {"id": shop, "settings": {"ignoredPaths": ["/admin/*"], "dataRetentionDays": 30}})
    call(box, "updateSettings", {"id": shop, "settings": {"allowedOrigins": ["https://App.example.com/"]}})
    found = row(box)["settings"]
    assert found["ignoredPaths"] == ["/admin/*"]
    assert found["dataRetentionDays"] == 30
    assert found["allowedOrigins"] == ["https://app.example.com"]
    call(box, "updateSettings", {"id": shop, "settings": {"dataRetentionDays": None}})
    assert row(box)["settings"]["dataRetentionDays"] is None


@each(
    ("settings", "field"),
    [
        ({"allowedOrigins": ["ftp/x y"]}, "allowedOrigins"),
        ({"allowedOrigins": ["https://a.example/path"]}, "allowedOrigins"),
        ({"allowedOrigins": ["a.*.example"]}, "allowedOrigins"),
        ({"allowedIps": ["203.0.113.300"]}, "allowedIps"),
        ({"ignoredIps": ["example.com"]}, "ignoredIps"),
        ({"ignoredPaths": ["admin"]}, "ignoredPaths"),
        ({"ignoredPaths": ["/a*b*c*d*e*f*g*h*i*"]}, "ignoredPaths"),
        ({"ignoredTrackingOrigins": [""]}, "ignoredTrackingOrigins"),
        ({"visitorIdMode": "cookies"}, "settings.visitorIdMode"),
        ({"dataRetentionDays": 0}, "settings.dataRetentionDays"),
        ({"hourlyTexts": 0}, "settings.hourlyTexts"),
        ({"hourlyMegabytes": 1_000_001}, "settings.hourlyMegabytes"),
        ({"allowedIps": None}, "settings.allowedIps"),
        ({"surprise": 1}, "settings.surprise"),
    ],
)
def test_wrong_settings_are_refused_by_name(box: WholeBox, settings: dict[str, Any], field: str) -> None:
    before = row(box)
    answer = call(box, "updateSettings", {"id": box.sites["shop"], "settings": settings})
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert answer.json["details"][0]["field"] == field
    assert row(box) == before
