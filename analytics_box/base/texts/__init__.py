"""Every text that people read on a page, one file for each area; templates know this package as `texts`.

Words: sentence case, verbs on buttons, a plain word where there is one; an error says what happened and what to do.
Names in {braces} are filled in with str.format.
"""

from analytics_box.base.texts.accounts import Profile, Reset, Security, Setup, SignIn
from analytics_box.base.texts.alarms import Alarms
from analytics_box.base.texts.auditlog import AuditLog
from analytics_box.base.texts.bots import Bots
from analytics_box.base.texts.box import TheBox, Warnings
from analytics_box.base.texts.comparing import Beside, Calendar, Comparing, Steps, Unread
from analytics_box.base.texts.configuration import (
    BackupNotices,
    ChannelMessages,
    Defaults,
    Deliveries,
    Domains,
    Integrations,
)
from analytics_box.base.texts.details import Details, Export, OnePage
from analytics_box.base.texts.docs import Definitions, Docs, Manual
from analytics_box.base.texts.drops import Drops
from analytics_box.base.texts.flag_code import FlagCode
from analytics_box.base.texts.flag_files import FlagFiles
from analytics_box.base.texts.flag_form import FlagForm
from analytics_box.base.texts.flag_history import FlagHistory
from analytics_box.base.texts.flag_results import FlagResults
from analytics_box.base.texts.flag_rollout import FlagRollout
from analytics_box.base.texts.flag_schedules import FlagSchedules
from analytics_box.base.texts.flag_tester import FlagTester
from analytics_box.base.texts.flag_versions import FlagVersions
from analytics_box.base.texts.flags_pages import FlagFolders, FlagList, FlagPage, FlagWords, TargetGroupPages
from analytics_box.base.texts.frame import App, Errors, Form, Keys, SettingsArea
from analytics_box.base.texts.goals import EventPages, Goals
from analytics_box.base.texts.keys import ApiKeys
from analytics_box.base.texts.link_form import LinkForm, LinkPreview
from analytics_box.base.texts.link_pages import LinkImport, LinkPlaces, Links, LinkStats, Question
from analytics_box.base.texts.links import ShortLinks
from analytics_box.base.texts.live import Live, Realtime, Refused, Toast
from analytics_box.base.texts.monitor_pages import (
    MaintenancePages,
    MonitorFiles,
    MonitorForm,
    MonitorList,
    MonitorMessages,
    MonitorStats,
)
from analytics_box.base.texts.notes import Notes
from analytics_box.base.texts.organizations import Invitations, Members, Organizations
from analytics_box.base.texts.overview import Compact, Filters, Metrics, Overview, Panels, Ranges, Vitals
from analytics_box.base.texts.palette import Palette
from analytics_box.base.texts.people import People
from analytics_box.base.texts.queries import Queries, QueryTypes
from analytics_box.base.texts.segments import Segments
from analytics_box.base.texts.status_incidents import StatusIncidents
from analytics_box.base.texts.status_pages import (
    IncidentConsole,
    MaintenancePlanner,
    StatusComponents,
    StatusPageForm,
    StatusPageList,
    SubscriberPages,
)
from analytics_box.base.texts.status_public import StatusPublic
from analytics_box.base.texts.status_subscribers import StatusSubscribers, SubscribePages
from analytics_box.base.texts.status_view import StatusView
from analytics_box.base.texts.websites import Sites, SiteSettings, Snippet

__all__ = [
    "Alarms",
    "ApiKeys",
    "App",
    "AuditLog",
    "BackupNotices",
    "Beside",
    "Bots",
    "Calendar",
    "ChannelMessages",
    "Compact",
    "Comparing",
    "Defaults",
    "Definitions",
    "Deliveries",
    "Details",
    "Docs",
    "Domains",
    "Drops",
    "Errors",
    "EventPages",
    "Export",
    "Filters",
    "FlagCode",
    "FlagFiles",
    "FlagFolders",
    "FlagForm",
    "FlagHistory",
    "FlagList",
    "FlagPage",
    "FlagResults",
    "FlagRollout",
    "FlagSchedules",
    "FlagTester",
    "FlagVersions",
    "FlagWords",
    "Form",
    "Goals",
    "IncidentConsole",
    "Integrations",
    "Invitations",
    "Keys",
    "LinkForm",
    "LinkImport",
    "LinkPlaces",
    "LinkPreview",
    "LinkStats",
    "Links",
    "Live",
    "MaintenancePages",
    "MaintenancePlanner",
    "Manual",
    "Members",
    "Metrics",
    "MonitorFiles",
    "MonitorForm",
    "MonitorList",
    "MonitorMessages",
    "MonitorStats",
    "Notes",
    "OnePage",
    "Organizations",
    "Overview",
    "Palette",
    "Panels",
    "People",
    "Profile",
    "Queries",
    "QueryTypes",
    "Question",
    "Ranges",
    "Realtime",
    "Refused",
    "Reset",
    "Security",
    "Segments",
    "SettingsArea",
    "Setup",
    "ShortLinks",
    "SignIn",
    "SiteSettings",
    "Sites",
    "Snippet",
    "StatusComponents",
    "StatusIncidents",
    "StatusPageForm",
    "StatusPageList",
    "StatusPublic",
    "StatusSubscribers",
    "StatusView",
    "Steps",
    "SubscribePages",
    "SubscriberPages",
    "TargetGroupPages",
    "TheBox",
    "Toast",
    "Unread",
    "Vitals",
    "Warnings",
]
