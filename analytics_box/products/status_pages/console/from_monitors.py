"""Links from a monitor that is down to its incident, or to a new one."""

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.monitors.reporting import OutageReport, Reporting
from analytics_box.products.status_pages.console.frame import HOME
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole


def reporting(pages: StatusPages) -> Reporting:
    """The offers on a monitor's page: for each status page that shows it the incident about it, or a new one."""

    def of(monitor_id: str, organization_id: str) -> list[OutageReport]:
        shown = [one for one in pages.with_monitor(monitor_id) if one.page.organization_id == organization_id]
        return [_report(whole, monitor_id, is_only=len(shown) == 1) for whole in shown]

    return Reporting(of)


def _report(whole: Whole, monitor_id: str, *, is_only: bool) -> OutageReport:
    told = _about(whole, monitor_id)
    path = f"incidents/{told.id}" if told is not None else f"incidents/new?monitor={monitor_id}"
    label = _("See the incident") if told is not None else _("Report incident")
    if not is_only:
        label = _("{label} on {page}").format(label=label, page=figures.visible(whole.page.name))
    return OutageReport(f"{HOME}/{whole.page.id}/{path}", label, told is not None)


def _about(whole: Whole, monitor_id: str) -> Incident | None:
    """The open incident about a monitor, published or not; None if there is none."""
    own = {one.id for one in whole.components if one.monitor_id == monitor_id}
    for incident in whole.incidents:
        if incident.kind == "incident" and incident.is_open and own & {one.component_id for one in incident.affected}:
            return incident
    return None
