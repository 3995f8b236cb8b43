"""Status clients that others have written, unchanged, against a real server: npm's statuspage.io in Node, and PyPI's
statuspage-prometheus-exporter, which writes metrics."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import jsonschema
import pytest

from tests.products.status_pages.statuspage.test_shapes import SHAPES
from tests.running import UNLIMITED, environment, running_box

SCRIPT = Path(__file__).with_name("client.mjs")
MODULES = Path(__file__).parents[4] / "web" / "node_modules"
NODE = shutil.which("node")
EXPORTER = Path(sys.executable).with_name("statuspage-prometheus-exporter")


class Known(NamedTuple):
    """A page with three components in trouble, and the ids of them and of what is said of them."""

    url: str
    components: dict[str, str]
    incident: str
    maintenance: str


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    with running_box(tmp_path_factory.mktemp("status") / "data", **UNLIMITED) as box:
        yield _filled(httpx.Client(base_url=box.url, headers={"x-api-key": box.account.api_key}))


def _filled(client: httpx.Client) -> Known:
    def call(procedure: str, **given: Any) -> Any:
        answer = client.post(f"/statusPage/{procedure}", json=given)
        assert answer.status_code == 200, answer.text
        return answer.json()

    own = call("create", name="Acme & Söhne", slug="acme")["id"]
    names = ("Website", "API", "E-mail")
    components = {name: call("addComponent", statusPageId=own, name=name)["id"] for name in names}
    call("addGroup", statusPageId=own, name="Core", componentIds=[components["API"]])
    ended = call("createIncident", statusPageId=own, title="Old", message="It was slow.")["id"]
    call("updateIncident", incidentId=ended, status="resolved", message="It is quick again.")
    incident = call(
        "createIncident",
        statusPageId=own,
        title="Requests fail",
        message="We **look** at it.",
        severity="major",
        affectedMonitors=[{"statusPageMonitorId": components["API"], "impact": "down"}],
    )["id"]
    call("updateIncident", incidentId=incident, status="identified", message="A disk is full.")
    start = datetime.now(UTC) + timedelta(days=2)
    maintenance = call(
        "createMaintenance",
        statusPageId=own,
        title="New servers",
        message="Short breaks.",
        scheduledFor=start.isoformat(),
        scheduledUntil=(start + timedelta(hours=1)).isoformat(),
        affectedMonitors=[components["E-mail"]],
    )["id"]
    return Known(f"{client.base_url}/status/acme".replace("//status", "/status"), components, incident, maintenance)


def test_every_address_answers_any_site_in_its_shape(page: Known) -> None:
    for name, shape in SHAPES.items():
        answer = httpx.get(f"{page.url}/api/v2/{name}.json")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.headers["access-control-allow-origin"] == "*"
        jsonschema.validate(answer.json(), shape)
    assert httpx.get(f"{page.url}/api/v2/nothing.json").status_code == 404


@pytest.mark.node
def test_the_npm_client_reads_all_of_it(page: Known) -> None:
    if NODE is None or not (MODULES / "statuspage.io").exists():
        pytest.skip(f"{MODULES}/statuspage.io or Node.js is missing: run npm ci in web/ (packaging/test.sh does it)")
    arguments = (NODE, str(SCRIPT), f"{MODULES}/", page.url)
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["status"]["status"] == {"indicator": "major", "description": "Partial outage"}
    states = {one["name"]: one["status"] for one in found["components"]["components"]}
    assert states == {
        "Core": "major_outage",
        "Website": "operational",
        "API": "major_outage",
        "E-mail": "operational",
    }
    titles = [[one["name"] for one in found[kind]["incidents"]] for kind in ("incidents", "unresolved", "summary")]
    assert titles == [["Requests fail", "Old"], ["Requests fail"], ["Requests fail"]]
    (ongoing,) = found["unresolved"]["incidents"]
    assert [one["status"] for one in ongoing["incident_updates"]] == ["identified", "investigating"]
    assert ongoing["incident_updates"][1]["body"] == "We **look** at it."
    for kind in ("maintenances", "upcoming", "summary"):
        assert [one["id"] for one in found[kind]["scheduled_maintenances"]] == [page.maintenance]
    assert found["summary"]["page"]["name"] == "Acme & Söhne"


def test_the_prometheus_exporter_makes_metrics_of_it(page: Known, tmp_path: Path) -> None:
    service = {"name": "Box", "type": "status_page", "url": f"{page.url}/api/v2/summary.json"}
    (tmp_path / "services.json").write_text(json.dumps({"box": service}))
    ended = subprocess.run(
        (str(EXPORTER),),
        cwd=tmp_path,
        env=environment() | {"RUN_MODE": "once"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    metrics = (tmp_path / "metrics" / "statuspage.prom").read_text().splitlines()
    lines = [line for line in metrics if line.startswith("statuspage_")]
    assert 'statuspage_service_status{service_name="Box"} 0.0' in lines
    assert 'statuspage_probe_check{service_name="Box"} 1.0' in lines
    for name, value in (("Website", 1.0), ("API", 0.0), ("E-mail", 1.0), ("Core", 0.0)):
        assert f'statuspage_component_status{{component_name="{name}",service_name="Box"}} {value}' in lines
    (incident,) = [line for line in lines if line.startswith("statuspage_incident_info")]
    for said in (page.incident, "Requests fail", 'impact="major"', "API", f"/status/acme/incidents/{page.incident}"):
        assert said in incident
    (maintenance,) = [line for line in lines if line.startswith("statuspage_maintenance_info")]
    assert page.maintenance in maintenance
    assert "E-mail" in maintenance
