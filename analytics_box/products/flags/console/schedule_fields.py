"""The forms that schedule something of a flag, as the message of flagSchedules.create. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.texts import FlagRollout

_OF_FORM: Final[Mapping[str, Mapping[str, str]]] = {
    "switch": {"scheduledAt": "switch-at"},
    "step": {"rolloutSteps": "step-at", "rolloutSteps[0].value": "step-percentage", "scheduledAt": "step-at"},
    "ramp": {
        "ramp.from": "ramp-from",
        "ramp.to": "ramp-to",
        "ramp.startsAt": "ramp-starts",
        "ramp.endsAt": "ramp-ends",
        "ramp.everyMinutes": "ramp-every",
        "rolloutSteps": "ramp-starts",
    },
}


def schedule_values(form: Mapping[str, str], zone: str) -> dict[str, Any]:
    """The schedule in a form, as API input. Raises BadRequest, by field of the form."""
    reading = _ScheduleFormReader(form, ZoneInfo(zone))
    match form.get("kind", ""):
        case "step":
            step = {"scheduledAt": reading.instant("step-at"), "value": reading.number("step-percentage")}
            found: dict[str, Any] = {"type": "update_rollout", "rolloutSteps": [step]}
        case "ramp":
            every = form.get("ramp-every", "")
            ramp = {
                "from": reading.number("ramp-from"),
                "to": reading.number("ramp-to"),
                "startsAt": reading.instant("ramp-starts"),
                "endsAt": reading.instant("ramp-ends"),
                "everyMinutes": int(every) if every in FlagRollout.everies else 60,
            }
            found = {"type": "update_rollout", "ramp": ramp}
        case _:
            what = "disable" if form.get("what") == "disable" else "enable"
            found = {"type": what, "scheduledAt": reading.instant("switch-at")}
    reading.check()
    return found


def times_of(name: str, form: Mapping[str, str]) -> str:
    """The field of the form that a refusal is about."""
    return _OF_FORM.get(form.get("kind", ""), {}).get(name, name)


class _ScheduleFormReader:
    def __init__(self, form: Mapping[str, str], zone: ZoneInfo) -> None:
        self._form = form
        self._zone = zone
        self._wrong: dict[str, str] = {}

    def instant(self, name: str) -> str:
        """A local time of the form as an instant."""
        try:
            local = datetime.fromisoformat(self._form.get(name, "")).replace(tzinfo=self._zone)
            return local.astimezone(UTC).isoformat()
        except (ValueError, OverflowError):
            self._wrong[name] = FlagRollout.no_time
            return ""

    def number(self, name: str) -> float:
        """A percentage of the form."""
        try:
            found = float(self._form.get(name, "").strip().replace(",", ".").removesuffix("%"))
        except ValueError:
            found = -1
        if not 0 <= found <= 100:
            self._wrong[name] = FlagRollout.not_a_share
        return found

    def check(self) -> None:
        """Raises BadRequest for all that is wrong."""
        if self._wrong:
            details = tuple(ErrorDetail(*one) for one in self._wrong.items())
            raise BadRequest(next(iter(self._wrong.values())), details=details)
