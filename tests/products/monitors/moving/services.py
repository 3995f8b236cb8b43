"""Monitors as other products' APIs answer them, with made-up contents."""

from typing import Any

ROBOT_V2: dict[str, Any] = {
    "stat": "ok",
    "pagination": {"offset": 0, "limit": 50, "total": 5},
    "monitors": [
        {"id": 1, "friendly_name": "Shop", "url": "https://shop.example.org/", "type": 1, "sub_type": "",
         "keyword_type": None, "keyword_case_type": 0, "keyword_value": "", "http_username": "", "http_password": "",
         "port": "", "interval": 300, "timeout": 30, "status": 2, "create_datetime": 1700000000, "http_method": 1,
         "custom_http_statuses": ""},
        {"id": 2, "friendly_name": "Search", "url": "https://search.example.org/", "type": 2, "sub_type": "",
         "keyword_type": 2, "keyword_case_type": 1, "keyword_value": "Results (all)", "interval": 60, "timeout": 30,
         "status": 0, "http_method": 2},
        {"id": 3, "friendly_name": "Database", "url": "db.example.org", "type": 4, "sub_type": 99, "port": 5432,
         "interval": 300, "status": 2},
        {"id": 4, "friendly_name": "Router", "url": "9.9.9.10", "type": 3, "interval": 300, "status": 9},
        {"id": 5, "friendly_name": "Backup", "url": "", "type": 5, "interval": 172800, "status": 2},
    ],
}  # fmt: skip
ROBOT_V3: dict[str, Any] = {
    "data": [
        {"id": 1, "friendlyName": "Shop", "url": "https://shop.example.org/", "type": "HTTP", "interval": 300,
         "timeout": 30, "status": "UP", "httpMethodType": "HEAD", "successHttpResponseCodes": ["2xx", "3xx"],
         "customHttpHeaders": {}, "authType": "NONE", "tags": [], "followRedirections": True},
        {"id": 2, "friendlyName": "Search", "url": "https://search.example.org/", "type": "KEYWORD", "interval": 60,
         "timeout": 30, "status": "PAUSED", "keywordType": "ALERT_NOT_EXISTS", "keywordCaseType": "CaseInsensitive",
         "keywordValue": "Results (all)", "successHttpResponseCodes": ["200-399"], "httpMethodType": "GET"},
        {"id": 3, "friendlyName": "Database", "url": "db.example.org", "type": "PORT", "port": 5432, "interval": 300,
         "status": "UP"},
        {"id": 4, "friendlyName": "Router", "url": "9.9.9.10", "type": "PING", "interval": 300, "status": "DOWN"},
        {"id": 5, "friendlyName": "Backup", "url": "", "type": "HEARTBEAT", "interval": 172800, "gracePeriod": 0,
         "status": "UP"},
    ],
    "nextLink": None,
}  # fmt: skip


def _monitor(ref: int, **attributes: Any) -> dict[str, Any]:
    usual = {
        "last_checked_at": "2026-01-01T00:00:00.000Z", "status": "up", "policy_id": None, "team_name": "Acme",
        "required_keyword": None, "verify_ssl": True, "check_frequency": 180, "call": False, "sms": False,
        "email": True, "push": True, "team_wait": None, "http_method": "get", "request_timeout": 30,
        "recovery_period": 0, "request_headers": [], "request_body": "", "follow_redirects": True, "regions": ["eu"],
        "remember_cookies": True, "created_at": "2025-01-01T00:00:00.000Z", "updated_at": "2025-01-01T00:00:00.000Z",
        "ssl_expiration": None, "domain_expiration": None, "paused_at": None, "port": None, "confirmation_period": 60,
        "expected_status_codes": [], "maintenance_days": [], "maintenance_from": None, "maintenance_to": None,
        "maintenance_timezone": "UTC", "monitor_group_id": None,
    }  # fmt: skip
    return {"id": str(ref), "type": "monitor", "attributes": usual | attributes, "relationships": {}}


BETTER_STACK: list[dict[str, Any]] = [  # two answers, as `jq -s .` puts them together
    {
        "data": [
            _monitor(1, url="https://shop.example.org/", pronounceable_name="Shop", monitor_type="status",
                     monitor_group_id=7),
            _monitor(2, url="https://api.example.org/", pronounceable_name="API", monitor_type="expected_status_code",
                     expected_status_codes=[200, 401], http_method="post", request_body="{}", verify_ssl=False,
                     request_headers=[{"id": "1", "name": "X-Token", "value": "hush"}]),
            _monitor(3, url="db.example.org", pronounceable_name="Database", monitor_type="tcp", port="5432",
                     request_timeout=5000),
            _monitor(4, url="https://shop.example.org/flow", pronounceable_name="Flow", monitor_type="playwright"),
            {"id": "7", "type": "monitor_group", "attributes": {"name": "Web", "paused": False, "sort_index": 0}},
        ],
        "pagination": {"next": None},
    },
    {
        "data": [
            {"id": "9", "type": "heartbeat", "attributes": {"url": "https://uptime.betterstack.example/x", "name":
             "Backup", "period": 86400, "grace": 3600, "call": False, "sms": False, "email": True, "push": True,
             "team_wait": 0, "heartbeat_group_id": None, "sort_index": None, "paused_at": None, "status": "up",
             "created_at": "2025-01-01T00:00:00.000Z", "updated_at": "2025-01-01T00:00:00.000Z"}},
        ]
    },
]  # fmt: skip
HEALTHCHECKS_V1: dict[str, Any] = {
    "checks": [
        {"name": "Backup", "tags": "db prod", "desc": "Nightly", "grace": 3600, "n_pings": 3, "status": "up",
         "last_ping": "2026-01-01T00:00:00+00:00", "next_ping": None, "manual_resume": False, "methods": "",
         "ping_url": "https://hc.example/31365bce-8da9-4729-8ff3-aaa71d56b712", "update_url": "u", "pause_url": "p",
         "channels": "", "timeout": 172800},
    ]
}  # fmt: skip
HEALTHCHECKS_V3: dict[str, Any] = {
    "checks": [
        {"name": "Backup", "slug": "backup", "tags": "db prod", "desc": "Nightly", "grace": 3600, "n_pings": 3,
         "status": "up", "started": False, "last_ping": None, "next_ping": None, "manual_resume": False, "methods": "",
         "subject": "", "subject_fail": "", "start_kw": "", "success_kw": "", "failure_kw": "", "filter_subject": False,
         "filter_body": False, "badge_url": "b", "uuid": "31365bce-8da9-4729-8ff3-aaa71d56b712", "channels": "",
         "ping_url": "https://hc.example/31365bce-8da9-4729-8ff3-aaa71d56b712", "timeout": 172800},
        {"name": "Report", "slug": "report", "tags": "", "grace": 600, "status": "paused", "schedule": "0 6 * * 1",
         "tz": "UTC"},
        {"name": "Bill", "slug": "bill", "tags": "", "grace": 600, "status": "new", "schedule": "0 6 1 * *",
         "tz": "UTC"},
    ]
}  # fmt: skip
CSV = """Name,URL/IP,Type,Keyword Value,Port,Interval,Group,Tags
Shop,https://user:pass@shop.example.org/,HTTP,,,60,Web,"prod,eu"
Search,https://search.example.org/,Keyword,results,,300,,
Database,db.example.org,Port,,5432,300,,
"""
