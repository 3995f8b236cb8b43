"""Every text that people read on a page, one file for each area; templates know this package as `texts`.

Words: sentence case, verbs on buttons, a plain word where there is one; an error says what happened and what to do.
Names in {braces} are filled in with str.format.
"""

from analytics_box.base.texts.alarms import Alarms
from analytics_box.base.texts.auditlog import AuditLog
from analytics_box.base.texts.bots import Bots
from analytics_box.base.texts.box import TheBox, Warnings
from analytics_box.base.texts.comparing import Calendar, Comparing, SecondMeasureTexts, Steps, Unread
from analytics_box.base.texts.configuration import (
    BackupNotices,
    ChannelMessages,
    DefaultsTexts,
    DeliveryTexts,
    Domains,
    IntegrationTexts,
)
from analytics_box.base.texts.details import Details, ExportTexts, SinglePageTexts
from analytics_box.base.texts.docs import DefinitionTexts, Docs, ManualTexts
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
from analytics_box.base.texts.goals import EventPages, GoalTexts
from analytics_box.base.texts.keys import ApiKeys
from analytics_box.base.texts.link_form import LinkForm, LinkPreview
from analytics_box.base.texts.link_pages import ConfirmationTexts, LinkImport, LinkPlaceTexts, LinkStats, LinkTexts
from analytics_box.base.texts.links import ShortLinks
from analytics_box.base.texts.live import Realtime
from analytics_box.base.texts.monitor_pages import (
    MaintenancePages,
    MonitorFiles,
    MonitorForm,
    MonitorList,
    MonitorMessages,
    MonitorStats,
)
from analytics_box.base.texts.notes import NoteTexts
from analytics_box.base.texts.overview import Compact, FilterTexts, Metrics, Overview, Panels, RangeTexts, Vitals
from analytics_box.base.texts.palette import PaletteTexts
from analytics_box.base.texts.people import People
from analytics_box.base.texts.queries import QueryTexts, QueryTypes
from analytics_box.base.texts.segments import SegmentTexts
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
    "AuditLog",
    "BackupNotices",
    "Bots",
    "Calendar",
    "ChannelMessages",
    "Compact",
    "Comparing",
    "ConfirmationTexts",
    "DefaultsTexts",
    "DefinitionTexts",
    "DeliveryTexts",
    "Details",
    "Docs",
    "Domains",
    "Drops",
    "EventPages",
    "ExportTexts",
    "FilterTexts",
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
    "GoalTexts",
    "IncidentConsole",
    "IntegrationTexts",
    "LinkForm",
    "LinkImport",
    "LinkPlaceTexts",
    "LinkPreview",
    "LinkStats",
    "LinkTexts",
    "MaintenancePages",
    "MaintenancePlanner",
    "ManualTexts",
    "Metrics",
    "MonitorFiles",
    "MonitorForm",
    "MonitorList",
    "MonitorMessages",
    "MonitorStats",
    "NoteTexts",
    "Overview",
    "PaletteTexts",
    "Panels",
    "People",
    "QueryTexts",
    "QueryTypes",
    "RangeTexts",
    "Realtime",
    "SecondMeasureTexts",
    "SegmentTexts",
    "ShortLinks",
    "SinglePageTexts",
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
    "Unread",
    "Vitals",
    "Warnings",
]
