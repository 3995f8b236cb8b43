"""Addresses of signing in, and of one's own account."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.permission import PUBLIC
from analytics_box.web.route import Route, form_route, page_route

password_pages = Handlers("analytics_box.tenants.accounts.password_pages")
profile_pages = Handlers("analytics_box.tenants.accounts.profile_pages")
reset_pages = Handlers("analytics_box.tenants.accounts.reset_pages")
second_factor_pages = Handlers("analytics_box.tenants.accounts.second_factor_pages")
session_pages = Handlers("analytics_box.tenants.accounts.session_pages")
sign_in_pages = Handlers("analytics_box.tenants.accounts.sign_in_pages")
theme_pages = Handlers("analytics_box.tenants.accounts.theme_pages")

ADDRESSES: tuple[Route, ...] = (
    Route("GET", "/", sign_in_pages.home, PUBLIC, page=True),
    Route("GET", "/sign-in", sign_in_pages.sign_in_form, PUBLIC, page=True),
    Route("POST", "/sign-in", sign_in_pages.sign_in, PUBLIC, page=True),
    Route("GET", "/sign-in/code", sign_in_pages.code_form, PUBLIC, page=True),
    Route("POST", "/sign-in/code", sign_in_pages.check_code, PUBLIC, page=True),
    Route("POST", "/sign-out", sign_in_pages.sign_out, PUBLIC, page=True),
    Route("GET", "/forgot-password", reset_pages.forgot_form, PUBLIC, page=True),
    Route("POST", "/forgot-password", reset_pages.forgot, PUBLIC, page=True),
    Route("GET", "/reset-password", reset_pages.reset_form, PUBLIC, page=True),
    Route("POST", "/reset-password", reset_pages.reset, PUBLIC, page=True),
    page_route("/settings/profile", profile_pages.profile),
    form_route("/settings/profile", profile_pages.save, kept=True),
    form_route("/settings/theme", theme_pages.switch),
    page_route("/settings/security", password_pages.security),
    form_route("/settings/security/password", password_pages.change_password),
    form_route("/settings/security/sessions/end", session_pages.end_session),
    form_route("/settings/security/sessions/end-others", session_pages.end_other_sessions),
    page_route("/settings/security/second-factor", second_factor_pages.form),
    form_route("/settings/security/second-factor", second_factor_pages.begin),
    form_route("/settings/security/second-factor/confirm", second_factor_pages.confirm),
    form_route("/settings/security/second-factor/remove", second_factor_pages.remove),
    form_route("/settings/security/recovery-codes", second_factor_pages.renew_codes),
)
