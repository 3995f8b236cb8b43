"""Status pages as the APIs of other products answer them, with made-up contents."""

from typing import Any

PAGE = {
    "id": "p31zjtct2jer", "created_at": "2024-01-02T10:00:00Z", "updated_at": "2026-01-02T10:00:00Z", "name": "Acme",
    "page_description": "How Acme is doing", "headline": None, "branding": "basic", "subdomain": "acme-cloud",
    "domain": "status.acme.example", "url": "https://www.acme.example", "support_url": None,
    "hidden_from_search": True, "time_zone": "Europe/Berlin", "status_indicator": "none",
}  # fmt: skip
_INCIDENTS: list[dict[str, Any]] = [
    {
        "id": "i1", "name": "Checkout fails", "status": "postmortem", "impact": "critical", "impact_override": None,
        "created_at": "2026-02-10T09:02:00Z", "monitoring_at": "2026-02-10T10:00:00Z",
        "resolved_at": "2026-02-10T11:00:00Z", "scheduled_for": None, "scheduled_until": None, "page_id": PAGE["id"],
        "components": [{"id": "c1", "name": "Checkout", "status": "operational"}],
        "incident_updates": [
            {"id": "u4", "status": "postmortem", "body": "## What happened", "display_at": "2026-02-12T09:00:00Z",
             "created_at": "2026-02-12T09:00:00Z", "affected_components": None, "deliver_notifications": False},
            {"id": "u3", "status": "resolved", "body": "Fixed.", "display_at": "2026-02-10T11:00:00Z",
             "created_at": "2026-02-10T11:00:00Z", "affected_components": [
                {"code": "c1", "name": "Checkout", "old_status": "partial_outage", "new_status": "operational"}]},
            {"id": "u2", "status": "monitoring", "body": "", "display_at": "2026-02-10T10:00:00Z",
             "created_at": "2026-02-10T10:00:00Z", "affected_components": [
                {"code": "c1", "name": "Checkout", "old_status": "major_outage", "new_status": "partial_outage"}]},
            {"id": "u1", "status": "investigating", "body": "We look into it.", "display_at": "2026-02-10T09:00:00Z",
             "created_at": "2026-02-10T09:02:00Z", "affected_components": [
                {"code": "c1", "name": "Checkout", "old_status": "operational", "new_status": "major_outage"}]},
        ],
    },
]  # fmt: skip
_MAINTENANCE: dict[str, Any] = {
    "id": "m1", "name": "Database upgrade", "status": "scheduled", "impact": "maintenance", "created_at":
    "2026-02-20T09:00:00Z", "scheduled_for": "2026-04-01T02:00:00Z", "scheduled_until": "2026-04-01T04:00:00Z",
    "components": [{"id": "c2", "name": "Search", "status": "operational"}],
    "incident_updates": [{"id": "u9", "status": "scheduled", "body": "We upgrade.", "affected_components": [],
                          "display_at": "2026-02-20T09:00:00Z", "created_at": "2026-02-20T09:00:00Z"}],
}  # fmt: skip
STATUSPAGE_V1: dict[str, Any] = {
    "page": PAGE,
    "components": [
        {"id": "c1", "page_id": PAGE["id"], "group_id": "g1", "name": "Checkout", "description": "Pay", "group": False,
         "status": "operational", "position": 1, "only_show_if_degraded": False, "showcase": True,
         "start_date": "2025-12-01", "created_at": "2024-01-02T10:00:00Z"},
        {"id": "c2", "page_id": PAGE["id"], "group_id": None, "name": "Search", "description": None, "group": False,
         "status": "degraded_performance", "position": 2, "only_show_if_degraded": True, "showcase": True,
         "start_date": None, "created_at": "2024-01-02T10:00:00Z"},
    ],
    "component_groups": [{"id": "g1", "page_id": PAGE["id"], "name": "Shop", "description": None, "components": ["c1"],
                          "position": 1}],
    "incidents": [*_INCIDENTS, _MAINTENANCE],
    "subscribers": [
        {"id": "s1", "mode": "email", "email": "ada@acme.example", "components": ["c1"], "quarantined_at": None},
        {"id": "s2", "mode": "email", "email": "grace@acme.example", "quarantined_at": None},
        {"id": "s3", "mode": "sms", "phone_number": "555", "quarantined_at": None},
        {"id": "s4", "mode": "email", "email": "gone@acme.example", "quarantined_at": "2026-01-01T00:00:00Z"},
    ],
}  # fmt: skip
STATUSPAGE_V2: dict[str, Any] = {  # of summary.json and incidents.json
    "page": {"id": PAGE["id"], "name": "Acme", "url": "https://acme-cloud.statuspage.example", "time_zone": "Etc/UTC",
             "updated_at": "2026-01-02T10:00:00Z"},
    "status": {"indicator": "none", "description": "All Systems Operational"},
    "components": [
        {"id": "g1", "name": "Shop", "group": True, "group_id": None, "components": ["c1"], "position": 1,
         "status": "operational"},
        *({name: value for name, value in one.items() if name != "page_id"} for one in STATUSPAGE_V1["components"]),
    ],
    "incidents": _INCIDENTS,
    "scheduled_maintenances": [_MAINTENANCE],
}  # fmt: skip
CACHET_2: dict[str, Any] = {
    "components": {
        "meta": {"pagination": {"total": 2}},
        "data": [
            {"id": 1, "name": "API", "description": "", "link": "", "status": 1, "order": 0, "group_id": 1,
             "enabled": True, "created_at": "2025-11-01 10:00:00", "status_name": "Operational", "tags": []},
            {"id": 2, "name": "Website", "description": "Pages", "link": "", "status": 4, "order": 1, "group_id": 0,
             "enabled": True, "created_at": "2025-11-01 10:00:00", "status_name": "Major Outage"},
        ],
    },
    "component_groups": {"data": [{"id": 1, "name": "Services", "order": 1, "collapsed": 0, "enabled_components": []}]},
    "incidents": {
        "data": [
            {"id": 5, "component_id": 2, "name": "Website down", "status": 1, "visible": 1, "stickied": False,
             "message": "We **look** into it.", "scheduled_at": None, "occurred_at": "2026-02-10 09:00:00",
             "created_at": "2026-02-10 09:01:00", "updated_at": "2026-02-10 11:00:00", "human_status": "Investigating",
             "latest_status": 4, "latest_human_status": "Fixed", "is_resolved": True, "updates": [
                {"id": 2, "incident_id": 5, "status": 4, "message": "Fixed.", "created_at": "2026-02-10 11:00:00"},
                {"id": 1, "incident_id": 5, "status": 2, "message": "It is DNS.", "created_at": "2026-02-10 10:00:00"},
             ]},
        ]
    },
    "schedules": {
        "data": [
            {"id": 1, "name": "Move", "message": "We move.", "status": 2, "scheduled_at": "2026-01-10 02:00:00",
             "completed_at": "2026-01-10 03:00:00", "created_at": "2026-01-05 09:00:00",
             "components": [{"id": 1, "schedule_id": 1, "component_id": 1}]},
        ]
    },
    "subscribers": {"data": [{"id": 1, "email": "ada@acme.example", "global": True, "subscriptions": []}]},
}  # fmt: skip


def _v3(kind: str, ref: int, attributes: dict[str, Any], **related: Any) -> dict[str, Any]:
    for name in ("created", "occurred", "scheduled", "completed"):
        if f"{name}_at" in attributes:
            attributes[name] = {"human": "some time ago", "string": attributes.pop(f"{name}_at")}
    return {"id": str(ref), "type": kind, "attributes": {"id": ref} | attributes,
            "relationships": {name: {"data": value} for name, value in related.items()}}  # fmt: skip


CACHET_3: dict[str, Any] = {
    "components": {
        "data": [
            _v3("components", 1, {"name": "API", "description": "", "order": 0, "enabled": True, "status":
                {"human": "Operational", "value": 1}, "created_at": "2025-11-01 10:00:00"},
                group={"id": "1", "type": "componentGroups"}),
            _v3("components", 2, {"name": "Website", "description": "Pages", "order": 1, "enabled": True, "status":
                {"human": "Major outage", "value": 4}, "created_at": "2025-11-01 10:00:00"}, group=None),
        ],
        "included": [_v3("componentGroups", 1, {"name": "Services", "order": 1, "collapsed": 0, "visible": 1})],
        "links": {}, "meta": {},
    },
    "incidents": {
        "data": [
            _v3("incidents", 5, {"guid": "x", "name": "Website down", "message": "We **look** into it.", "visible": 1,
                "status": {"human": "Fixed", "value": 4}, "occurred_at": "2026-02-10 09:00:00",
                "created_at": "2026-02-10 09:01:00"},
                components=[{"type": "components", "id": "2"}],
                updates=[{"type": "updates", "id": "2"}, {"type": "updates", "id": "1"}]),
        ],
        "included": [
            _v3("updates", 1, {"message": "It is DNS.", "status": {"human": "Identified", "value": 2},
                "created_at": "2026-02-10 10:00:00"}),
            _v3("updates", 2, {"message": "Fixed.", "status": {"human": "Fixed", "value": 4},
                "created_at": "2026-02-10 11:00:00"}),
        ],
    },
    "schedules": {
        "data": [
            _v3("schedules", 1, {"name": "Move", "message": "We move.", "status": {"human": "Complete", "value": 2},
                "scheduled_at": "2026-01-10 02:00:00", "completed_at": "2026-01-10 03:00:00",
                "created_at": "2026-01-05 09:00:00"}, components=[{"type": "components", "id": "1"}]),
        ]
    },
    "subscribers": {"data": [_v3("subscribers", 1, {"email": "ada@acme.example", "global": True})]},
}  # fmt: skip
