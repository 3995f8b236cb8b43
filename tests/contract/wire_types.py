"""The query types as the wire lists them (wire 1.2 to 1.18, with the decisions of wire 0): fields, default limits."""

STANDARD = "name pageviews visitors percentage"
_DAY = "date pageviews visitors sessions unique_visitors bounce_rate median_session_duration total_events"
_SOURCE = f"{STANDARD} referrer domain source referrer_type parsed_referrer"
_PLACE = "country_code country_name"
_VITALS = "avg_fcp p50_fcp avg_lcp p50_lcp p75_lcp avg_cls p50_cls avg_inp p75_inp avg_ttfb measurements"
_RANKS = "p50 p75 p90 p95 p99"
_BY = "name visitors p50_lcp p50_fcp p50_cls p50_inp p50_ttfb samples"
_SESSION = "session_id visitor_id first_visit last_visit page_views country referrer device_type browser_name os_name"
_CLICKED = "clicks visitors percentage"
_TIMES = "avg_response_time p50_response_time p95_response_time max_response_time"
_LOADING = "avg_load_time p50_load_time p95_load_time samples"

_MONEY = "name currency revenue transactions customers percentage"
_MONEY_BY = (
    *("provider", "country", "referrer", "ai_product", "utm_source", "utm_medium", "utm_campaign", "entry_page"),
    *("browser", "device", "os"),
)

# Type → fields of its rows.
FIELDS: dict[str, str] = {
    # 1.2
    "summary_metrics": _DAY,
    "summary_totals": _DAY.removeprefix("date "),
    "today_metrics": "pageviews visitors sessions",
    "events_by_date": "date pageviews visitors sessions bounce_rate median_session_duration pages_per_session",
    "active_stats": "active_users active_sessions",
    # 1.3
    "top_pages": f"path {STANDARD}",
    "entry_pages": f"path {STANDARD}",
    "exit_pages": f"path {STANDARD}",
    "page_performance": "name pageviews visitors",
    "page_time_analysis": "name sessions_with_time visitors median_time_on_page percentage",
    # 1.4
    "top_referrers": _SOURCE,
    "traffic_sources": _SOURCE,
    "utm_sources": STANDARD,
    "utm_mediums": STANDARD,
    "utm_campaigns": STANDARD,
    "utm_terms": STANDARD,
    "utm_content": STANDARD,
    # 1.5
    "browser_name": STANDARD,
    "os_name": STANDARD,
    "operating_systems": STANDARD,
    "timezone": STANDARD,
    "language": STANDARD,
    "browsers": STANDARD,
    "device_types": STANDARD,
    "screen_resolution": f"{STANDARD} device_type",
    "screen_resolutions": "name pageviews visitors",
    "browsers_grouped": "name browser_name browser_version pageviews visitors sessions",
    "browser_versions": "browser_name browser_version pageviews visitors percentage",
    "os_versions": "name pageviews visitors",
    "viewport_vs_resolution": "viewport_size visitors pageviews device_type",
    "viewport_patterns": "viewport_size visitors sessions percentage",
    "traffic_segments": "dimension value pageviews sessions",
    # 1.6
    "country": f"{STANDARD} {_PLACE}",
    "region": f"{STANDARD} country {_PLACE}",
    "city": f"{STANDARD} country {_PLACE}",
    # 1.7
    "recent_errors": "message stack path anonymous_id session_id timestamp filename lineno colno error_type"
    " browser_name browser_version os_name os_version device_type country region",
    "error_types": "name count users last_seen",
    "error_trends": "date errors users",
    "errors_by_page": "name errors users",
    "error_frequency": "date count",
    "error_summary": "totalErrors uniqueErrorTypes affectedUsers affectedSessions errorRate",
    "error_chart_data": "date totalErrors affectedUsers",
    "errors_by_type": "name count users sessions",
    "error_fingerprints": "name count users sessions path error_type filename line stack last_seen"
    " first_seen release fingerprint",
    # without what depends on payments
    "error_customer_impact": "error_occurrences affected_sessions affected_visitor_identifiers"
    " linked_visitor_identifiers unlinked_visitor_identifiers identified_profiles ambiguous_profile_sessions"
    " identity_coverage_percent",
    "error_route_continuation_comparison": "candidate_exposed_sessions candidate_control_sessions"
    " matched_exposed_sessions matched_control_sessions unmatched_exposed_sessions unmatched_control_sessions"
    " exposed_continued_sessions control_continued_sessions exposed_continuation_percent control_continuation_percent",
    # 1.8
    **{
        f"web_vitals_by_{part}": f"name visitors {_VITALS}"
        for part in ("page", "browser", "country", "os", "device", "region")
    },
    "web_vitals_time_series": "date avg_fcp p50_fcp avg_lcp p50_lcp avg_cls p50_cls avg_inp p50_inp avg_ttfb p50_ttfb"
    " measurements",
    "vitals_overview": f"metric_name {_RANKS} avg_value samples good poor",
    "vitals_time_series": f"date metric_name {_RANKS} samples",
    "vitals_by_page": f"page metric_name {_RANKS} samples",
    **{f"vitals_by_{part}": _BY for part in ("country", "browser", "region", "city")},
    # 1.9
    "custom_events": "name total_events unique_users unique_sessions last_occurrence first_occurrence"
    " events_with_properties percentage",
    "custom_event_properties": "name property_key property_value count",
    "custom_events_by_path": "name total_events unique_event_types unique_users",
    "custom_events_trends": "date total_events unique_event_types unique_users unique_sessions unique_pages",
    "custom_events_trends_by_event": "date event_name total_events",
    "custom_events_summary": "total_events unique_event_types unique_users unique_sessions unique_pages",
    "custom_events_property_cardinality": "event_name property_key unique_values occurrences",
    "custom_events_recent": "event_name namespace path source properties anonymous_id session_id timestamp",
    "custom_events_property_classification": "event_name property_key cardinality total_count coverage_ratio avg_length"
    " max_length is_numeric is_boolean is_date_like is_url_like inferred_type render_strategy sample_values",
    "custom_events_property_top_values": "event_name property_key property_value count total percentage rank",
    "custom_events_property_distribution": "event_name property_key property_value count total percentage cardinality",
    "custom_events_discovery": "event_name total_events unique_users property_key unique_values top_values",
    # 1.10
    "session_metrics": "total_sessions avg_session_duration bounce_rate total_events",
    "session_duration_distribution": "duration_range sessions visitors",
    "sessions_by_device": "name sessions visitors",
    "sessions_by_browser": "name sessions visitors",
    "sessions_time_series": "date sessions visitors",
    "session_flow": "from_path to_path name transitions sessions",
    "session_pages": "name sessions visitors",
    "session_list": f"{_SESSION} events",
    "session_events": "session_id event_id time event_name path properties device_type browser_name country",
    "interesting_sessions": f"{_SESSION} duration_seconds unique_pages analytics_engagement_events custom_events errors"
    " paths custom_event_names interesting_score",
    # 1.11; ltv is about payments, names are joined by the pages that may show them
    "profile_list": "visitor_id profile_id first_visit last_visit session_count total_events unique_pages user_agent"
    " country region device_type browser_name os_name referrer custom_event_count unique_event_names",
    "profile_detail": "visitor_id first_visit last_visit total_sessions total_pageviews total_duration"
    " total_duration_formatted profile_id device browser os country region",
    "profile_revenue": "transaction_id provider type status amount currency product_name created",
    "profile_sessions": "session_id session_name first_visit last_visit duration duration_formatted page_views"
    " unique_pages device browser os country region referrer events web_vitals",
    "outbound_links": "href text total_clicks unique_users unique_sessions percentage last_clicked",
    "outbound_domains": "domain total_clicks unique_users unique_links percentage",
    # 1.12, and what is counted beside it
    "link_total_clicks": "total visitors first_clicked last_clicked",
    "link_clicks_by_day": "date clicks visitors",
    "link_referrers_by_day": "date value",
    "link_countries_by_day": "date value",
    "link_top_referrers": f"name referrer domain source referrer_type parsed_referrer {_CLICKED}",
    **{f"link_top_{part}": f"name country {_PLACE} {_CLICKED}" for part in ("countries", "regions", "cities")},
    "link_top_devices": f"name {_CLICKED}",
    "link_top_browsers": f"name {_CLICKED}",
    # 1.13
    "frustration_by_page": "name page_views visitors rage_click_rate dead_click_rate error_rate top_dead_click_target"
    " top_rage_click_target",
    "form_abandonment_by_page": "name form_starts form_submits abandonment_rate top_abandoned_field",
    "engagement_quality_by_page": "name page_views avg_time_on_page avg_active_time attention_ratio avg_scroll_depth"
    " avg_interactions median_time_to_first_interaction",
    "scroll_depth_summary": "avg_scroll_depth total_sessions visitors",
    "scroll_depth_distribution": "depth_range visitors sessions percentage",
    "page_scroll_performance": "name avg_scroll_depth visitors sessions pageviews",
    "interaction_summary": "avg_interactions interactive_sessions interaction_rate total_sessions",
    # 1.14
    "ai_products": "product requests pages training search_index on_demand visitors last_seen",
    "ai_content_formats": "format requests pages products",
    "ai_product_visitors": "date product visitors",
    "ai_agent_pages": "page visitors products requests format pageviews",
    "ai_visitor_outcomes": "product visitors pages_per_visit engaged_rate",
    "ai_crawlers": "agent_id name product purpose requests last_seen user_agent operator pages errors verified about",
    # 1.16, and what is observed beside it
    "uptime_overview": f"uptime_percentage {_TIMES} p75_response_time p99_response_time min_response_time avg_ttfb"
    " ssl_expiry ssl_valid coverage downtime_seconds outages total_checks successful_checks",
    "uptime_time_series": f"date uptime_percentage total_checks successful_checks downtime_seconds {_TIMES} avg_ttfb"
    " p50_ttfb p95_ttfb coverage",
    "uptime_status_breakdown": "status http_code count percentage",
    "uptime_recent_checks": "timestamp url status http_code ttfb_ms total_ms probe_region probe_ip ssl_valid error"
    " reason dns_ms connect_ms tls_ms first_byte_ms transfer_ms attempt count",
    "uptime_response_time_trends": f"date {_TIMES} p75_response_time p90_response_time p99_response_time"
    " min_response_time avg_ttfb",
    "uptime_ssl_status": "ssl_expiry ssl_valid invalid_ssl_checks",
    "uptime_by_region": "region uptime_percentage avg_response_time p95_response_time total_checks",
    # 1.15
    "mcp_summary": "calls errors error_rate p50_ms p95_ms tools clients sessions servers environments websites"
    " last_call tracked",
    "mcp_calls_series": "date calls errors error_rate p50_ms p95_ms sessions",
    "mcp_tools": "tool calls errors error_rate p50_ms p95_ms avg_output_chars sessions clients last_called",
    "mcp_clients": "client calls error_rate p95_ms tools sessions versions user_agent last_seen",
    "mcp_errors": "tool error occurrences sessions clients last_seen first_seen is_new",
    # 1.17, with the share of what is verified, and what becomes of subscriptions
    "revenue_overview": "currency total_revenue total_transactions refund_amount refund_count subscription_revenue"
    " subscription_count sale_revenue sale_count unique_customers attributed_transactions attributed_revenue"
    " payment_diagnostics_available failed_payment_attempts canceled_payment_attempts failed_payment_amount"
    " recovered_payment_attempts successful_payment_attempts observed_failure_event_types required_failure_event_types"
    " top_payment_failure_reason top_payment_cancellation_reason payment_failure_rate"
    " net_revenue average_order_value verified_revenue unverified_revenue new_subscriptions renewals"
    " churned_subscriptions trials",
    "revenue_time_series": "date currency revenue transactions customers refund_amount refund_count"
    " attributed_revenue attributed_transactions",
    **{f"revenue_by_{part}": _MONEY for part in _MONEY_BY},
    "revenue_attribution_overview": _MONEY,
    "revenue_by_region": f"{_MONEY} country",
    "revenue_by_city": f"{_MONEY} country",
    "revenue_by_product": f"{_MONEY} product_id provider",
    "recent_transactions": "transaction_id provider type amount currency anonymous_id product_name created"
    " is_attributed attribution_method unmatched_reason country browser_name device_type referrer utm_source"
    " utm_campaign is_verified status",
    # 1.18
    "realtime_pages": "path pageviews visitors",
    "realtime_referrers": "referrer visitors",
    "realtime_countries": "name visitors",
    "realtime_cities": "city country visitors",
    "realtime_feed": "event_name path country browser_name timestamp",
    "realtime_sessions": "session_id current_page country device_type pages_viewed last_seen",
    "realtime_velocity": "minute pageviews events visitors",
    # 1.19
    "identified_profile_retention": "row_type cohort_date activated_profiles eligible_profiles retained_profiles"
    " not_retained_profiles incomplete_profiles retention_rate activation_events identified_activation_events"
    " unidentified_activation_events activation_identity_coverage cohort_from cohort_to cohort_start cohort_end"
    " observation_end observed_before timezone horizon_days identity_basis activation_basis",
    # 1.23: the names of the wire, with rows of our own
    "connection_type": STANDARD,
    **{f"performance_by_{part}": f"name visitors {_LOADING}" for part in ("browser", "country", "os", "region")},
    "slow_pages": f"name visitors {_LOADING}",
    "performance_time_series": f"date {_LOADING}",
    "load_time_performance": _LOADING,
    "profile_metrics": "total_sessions avg_session_duration bounce_rate total_events",
    "profile_duration_distribution": "duration_range sessions visitors",
    "profiles_by_device": "name sessions visitors",
    "profiles_by_browser": "name sessions visitors",
    "profiles_time_series": "date sessions visitors",
    "returning_visitors": "name pageviews visitors",
}
# Beyond the wire.
BEYOND: dict[str, str] = {
    "revenue_by_channel": _MONEY,
    **{f"revenue_by_first_{part}": _MONEY for part in ("referrer", "channel", "utm_campaign", "entry_page")},
    "failed_payments": "name status currency attempts amount recovered",
    "hour_of_day": "hour pageviews visitors",
    "day_of_week": "day pageviews visitors",
    "hour_of_week": "day hour pageviews visitors",
    "new_vs_returning": "name pageviews visitors",
    "entry_exit_flow": "entry_page exit_page sessions visitors percentage",
    "channels": STANDARD,
    "bots": "name reason count first_seen last_seen",
    "link_top_systems": f"name {_CLICKED}",
    "link_top_languages": f"name {_CLICKED}",
    "link_variants": f"name {_CLICKED}",
    "link_rules": f"name {_CLICKED}",
    "link_hour_of_week": "day hour clicks visitors",
    "link_kinds": "name clicks percentage",
    "link_top_bots": "name kind clicks last_seen",
    "link_landings": "clicks sessions pageviews bounce_rate median_session_duration",
    "uptime_spans": "state start end duration",
    "uptime_phases": "date avg_dns avg_connect avg_tls avg_first_byte avg_transfer avg_response_time checks",
    "uptime_reasons": "reason count percentage last_seen",
    "custom_events_property_numbers": "event_name property_key count sum average median p90",
    "page_properties": "name property_key property_value page_views visitors",
    "mcp_client_versions": "client version calls errors error_rate p95_ms sessions first_seen last_seen",
    "mcp_server_versions": "server version calls errors error_rate p95_ms sessions first_seen last_seen",
    "mcp_environments": "environment calls errors error_rate p95_ms sessions first_seen last_seen",
    "scroll_reach": "depth page_views percentage",
    "rage_clicks": "name path clicks visitors",
    "dead_clicks": "name path clicks visitors",
    "abandoned_fields": "name path abandoned visitors",
    "site_searches": "name searches visitors",
    "missing_pages": "name referrer views visitors",
    "file_downloads": "name downloads visitors",
    "flag_variants": "name flag variant visitors exposures first_seen last_seen",
    "retention": "cohort_date cohort_size period visitors retention_rate is_complete",
    "stickiness": "date daily weekly monthly stickiness weekly_stickiness is_complete",
    "lifecycle": "date visitors new returning resurrected dormant is_complete",
    "journeys": "step node_type node next_type next sessions percentage",
    "ai_summary": "requests products agents pages training search_index on_demand errors visitors",
    "ai_requests_by_date": "date requests training search_index on_demand errors",
    "ai_unvisited_pages": "page requests products last_seen",
    "ai_error_pages": "page errors requests products last_seen",
    "funnel": "step_number step_name users total_users conversion_rate dropoffs dropoff_rate avg_time_to_complete"
    " p90_time_to_complete",
    "flag_exposures": "variant is_given is_control visitors mixed_visitors share expected_share expected_share_unknown"
    " sample_ratio_p_value conversions conversion_rate conversion_rate_low conversion_rate_high"
    " difference difference_low difference_high p_value",
}
# Default limits; 100 where the wire names none (wire 0).
LIMITS = {
    "ai_products": 50,
    "ai_visitor_outcomes": 20,
    "ai_crawlers": 50,
    "retention": 10_000,
    "journeys": 1_000,
    "hour_of_week": 168,
    "link_hour_of_week": 168,
    "browsers": 25,
    "device_types": 20,
    "os_versions": 25,
    "viewport_vs_resolution": 200,
    "viewport_patterns": 50,
    "recent_errors": 50,
    "error_types": 50,
    "errors_by_page": 20,
    "errors_by_type": 20,
    "error_fingerprints": 20,
    "vitals_by_page": 50,
    "custom_events": 10_000,
    "custom_event_properties": 10_000,
    "custom_events_by_path": 50,
    "custom_events_trends": 1_000,
    "custom_events_trends_by_event": 10_000,
    "custom_events_recent": 50,
    "custom_events_property_classification": 500,
    "custom_events_property_top_values": 10_000,
    "custom_events_discovery": 200,
    "session_list": 25,
    "session_events": 500,
    "interesting_sessions": 10,
    "profile_list": 25,
    **{f"link_top_{part}": 10 for part in ("referrers", "countries", "regions", "cities", "browsers")},
    **{f"link_top_{part}": 10 for part in ("systems", "languages", "bots")},
    **{f"revenue_by_{part}": 20 for part in (*_MONEY_BY, "region", "city", "channel")},
    **{f"revenue_by_first_{part}": 20 for part in ("referrer", "channel", "utm_campaign", "entry_page")},
    **{f"revenue_by_{part}": 10 for part in ("browser", "device", "os")},
    "revenue_by_provider": 100,
    "revenue_by_product": 50,
    "recent_transactions": 50,
    "failed_payments": 50,
    "profile_revenue": 50,
    "uptime_recent_checks": 50,
    "uptime_spans": 1_000,
    "realtime_pages": 10,
    "realtime_referrers": 10,
    "realtime_countries": 50,
    "realtime_cities": 30,
    "realtime_feed": 30,
    "realtime_sessions": 20,
}
# Wire 1.22, without row-level types (wire 0).
PUBLIC = frozenset(
    [
        "summary_metrics",
        "today_metrics",
        "active_stats",
        "events_by_date",
        "top_pages",
        "entry_pages",
        "exit_pages",
        "page_time_analysis",
        "traffic_sources",
        "top_referrers",
        "utm_sources",
        "utm_mediums",
        "utm_campaigns",
        "device_types",
        "browser_name",
        "browsers",
        "os_name",
        "operating_systems",
        "outbound_links",
        "outbound_domains",
        "country",
        "region",
        "city",
        "timezone",
        "language",
        "browser_versions",
        "screen_resolution",
        "custom_events",
        "custom_event_properties",
        "custom_events_by_path",
        "custom_events_trends",
        "custom_events_trends_by_event",
        "custom_events_summary",
        "custom_events_property_cardinality",
        "custom_events_property_classification",
        "custom_events_property_top_values",
        "custom_events_property_distribution",
        "custom_events_discovery",
        "error_types",
        "error_trends",
        "errors_by_page",
        "error_frequency",
        "error_summary",
        "error_chart_data",
        "errors_by_type",
        "vitals_overview",
        "vitals_time_series",
        "vitals_by_page",
        "vitals_by_country",
        "vitals_by_browser",
        "vitals_by_region",
        "vitals_by_city",
    ]
)
PUBLIC_BEYOND = frozenset(("summary_totals", "hour_of_day", "day_of_week", "hour_of_week", "channels"))
COMMON = frozenset(
    [
        "path",
        "query_string",
        "country",
        "region",
        "city",
        "timezone",
        "language",
        "device_type",
        "browser_name",
        "os_name",
        "referrer",
        "utm_source",
        "utm_medium",
        "utm_campaign",
    ]
)
# Types whose filters are their own only (CF-off).
OWN_FILTERS = frozenset(
    (
        *(name for name in FIELDS if name.startswith(("custom_event", "web_vitals_"))),
        *("recent_transactions", "failed_payments", "profile_revenue"),
        "traffic_segments",
        "frustration_by_page",
        "form_abandonment_by_page",
        "engagement_quality_by_page",
        *("rage_clicks", "dead_clicks", "abandoned_fields", "site_searches", "missing_pages", "file_downloads"),
        "custom_events_property_numbers",
        "vitals_by_page",
        *("ai_requests_by_date", "ai_unvisited_pages", "ai_error_pages"),
        "bots",
        "identified_profile_retention",
        *(name for name in (*FIELDS, *BEYOND) if name.startswith(("link_", "uptime_", "mcp_", "revenue_"))),
    )
)
EXTRA_FILTERS = {
    "summary_metrics": "profile_id anonymous_id",
    "top_pages": "profile_id anonymous_id",
    "utm_terms": "utm_term",
    "utm_content": "utm_content",
    "error_types": "message path error_type",
    "recent_errors": "browser_name os_name country device_type message",
    "vitals_by_page": "path country region city browser_name os_name device_type",
    "custom_events": "profile_id path namespace website_id anonymous_id session_id event_name source",
    "custom_event_properties": "property_key event_name",
    "custom_events_property_cardinality": "profile_id path event_name website_id",
    "session_list": "profile_id anonymous_id",
    "session_events": "session_id",
    "profile_list": "event_name profile_id",
    "outbound_links": "client_id anonymous_id session_id href text",
    "traffic_segments": "path",
    **{name: "client tool server_name environment website_id" for name in FIELDS if name.startswith("mcp_")},
    **dict.fromkeys(
        (name for name in FIELDS if name.startswith("revenue_") or name == "recent_transactions"),
        "currency provider country region city browser_name device_type os_name utm_source utm_medium utm_campaign"
        " referrer path",
    ),
    "revenue_time_series": "currency provider type",
    "profile_revenue": "anonymous_id profile_id",
    **dict.fromkeys(
        (name for name in FIELDS if name.startswith("link_")),
        "referrer country region city device_type browser_name",
    ),
}
HOURLY = frozenset(
    [
        "summary_metrics",
        "events_by_date",
        "error_trends",
        "error_frequency",
        "ai_product_visitors",
        "ai_requests_by_date",
        "error_chart_data",
        "web_vitals_time_series",
        "vitals_time_series",
        "custom_events_trends",
        "custom_events_trends_by_event",
        "sessions_time_series",
        "performance_time_series",
        "profiles_time_series",
        "mcp_calls_series",
        "link_clicks_by_day",
        "link_referrers_by_day",
        "link_countries_by_day",
        "uptime_response_time_trends",
        "revenue_time_series",
    ]
)
BY_MINUTE = frozenset(("uptime_time_series", "uptime_phases"))  # too, and by the hour if nothing else is asked for
# How far customers may change them (wire 1.16).
CUSTOMIZABLE = {"uptime_overview": False, "uptime_time_series": True}
