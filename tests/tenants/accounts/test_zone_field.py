"""Each form with a time zone offers likely zones first, then the others by region."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.inprocess import WholeBox
from tests.tenants.accounts.world import send

FORMS = {
    "/settings/profile": "timezone",
    "/settings/organization": "timeZone",
    "/monitors/maintenance/new": "zone",
    "/sites/{shop}/reports/new": "timeZone",
    "/alerts/new": "zone",
}


def test_every_zone_field_is_grouped_and_begins_with_the_zone_of_its_user(box: WholeBox) -> None:
    assert send(box, "/settings/profile", box.cookie, timezone="Asia/Kathmandu").status == 303
    for path, name in FORMS.items():
        page = box.get(path.format(shop=box.sites["shop"]), cookie=box.cookie).body.decode()
        (field,) = re.findall(rf'<select[^>]* name="{name}".*?</select>', page, re.DOTALL)
        groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', field, re.DOTALL)
        first, *regions = groups
        assert first[0] == "Suggested", path
        assert 'value="Asia/Kathmandu"' in first[1], path
        assert {"Africa", "America", "Asia", "Europe"} <= {label for label, _names in regions}, path
        names = re.findall(r'value="([^"]+)"', "".join(names for _label, names in groups))
        assert len(names) == len(set(names)), path
        assert field.count(" selected") == 1 or path == "/settings/organization", path
        assert len(names) < 450, f"{path}: aliases such as US/Pacific only make the list longer"
        assert all(datetime.now(UTC).astimezone(ZoneInfo(one)).tzinfo for one in names)
