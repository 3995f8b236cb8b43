"""A message over SMTP, with what the operating system's Python has: loaded when the first one is sent."""

import smtplib
import ssl
from contextlib import suppress
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import formatdate, make_msgid, parseaddr

from analytics_box.base.notify.mail import Mail, NotSent
from analytics_box.base.outgoing.certificate import tls_context
from analytics_box.base.secret_file import first_line
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.translation import _

SECONDS = 10.0  # for connecting, and for each answer of the server
_TLS_PORT = 465
_SIGN_IN_FIRST = 530
_UNSENDABLE = "The message has an invalid address or subject"
_FOR_PROGRAMS = frozenset({"message-id", "references", "list-id", "list-unsubscribe", "list-unsubscribe-post"})


def send(settings: Settings, sender: str, mail: Mail) -> None:
    """Send a message; return once the server has accepted it. Raises NotSent, which names the step that failed."""
    message = _compose(sender, mail)
    try:
        password = settings.smtp_password or first_line("smtp_password_file", settings.smtp_password_file)
    except SettingsError as wrong:
        raise NotSent(str(wrong)) from wrong
    server = _open_connection(settings)
    try:
        if settings.smtp_user:
            _sign_in(server, settings.smtp_user, password)
        _hand_over(server, message)
    finally:
        with suppress(OSError, smtplib.SMTPException):  # the message is with the server already, or cannot be
            server.quit()
        server.close()


class _Text(str):
    """A user or a password, which smtplib would encode as ASCII: RFC 4616 and RFC 4954 want UTF-8."""

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return super().encode("utf-8", errors)


class _Utf8(smtplib.SMTP):
    """Signs in with users and passwords in UTF-8."""

    def auth_plain(self, challenge: bytes | None = None) -> str:  # type: ignore[override]  # typeshed lacks None
        return _Text(super().auth_plain(challenge))

    def auth_login(self, challenge: bytes | None = None) -> str | None:  # type: ignore[override]  # as above
        answer = super().auth_login(challenge)
        return answer if answer is None else _Text(answer)

    def auth_cram_md5(self, challenge: bytes | None = None) -> str | None:  # type: ignore[override]  # as above
        answer = super().auth_cram_md5(challenge)
        return answer if answer is None else _Text(answer)


class _Utf8OverTls(_Utf8, smtplib.SMTP_SSL):
    """A sign-in in UTF-8 on a port that uses TLS from the start."""


def _open_connection(settings: Settings) -> _Utf8:
    """The server, secured as the settings say. Raises NotSent."""
    where = f"{settings.smtp_host}:{settings.smtp_port}"
    try:
        return _connect(settings)
    except smtplib.SMTPNotSupportedError as lacking:
        raise NotSent(_("The mail server does not support STARTTLS: set smtp_security to tls or none")) from lacking
    except smtplib.SMTPResponseException as refused:
        raise NotSent(
            _("The mail server refuses the connection with code {smtp_code}").format(smtp_code=refused.smtp_code)
        ) from refused
    except ssl.SSLCertVerificationError as untrusted:
        why = f"{untrusted.reason} ({untrusted.verify_message})"
        raise NotSent(_("No secure connection to the mail server: {why}").format(why=why)) from untrusted
    except ssl.SSLError as broken:
        hint = f"; if {where} does not use TLS from the start, set smtp_security to starttls"
        hint = hint if settings.smtp_security == "tls" else ""
        raise NotSent(
            _("No secure connection to the mail server: {reason}{hint}").format(reason=broken.reason, hint=hint)
        ) from broken
    except (OSError, smtplib.SMTPException) as broken:
        raise NotSent(
            _("The mail server cannot be reached: {unreachable}{hint}").format(
                unreachable=_unreachable(broken, where), hint=_hint(settings)
            )
        ) from broken


def _unreachable(broken: Exception, where: str) -> str:
    match broken:
        case OSError(errno=int(number)) if number < 0:  # a resolver's errors are negative
            return "smtp_host has no address"
        case TimeoutError():
            return f"{where} does not answer within {SECONDS:.0f} seconds"
        case ConnectionRefusedError():
            return f"{where} refuses connections"
        case smtplib.SMTPServerDisconnected():
            return f"{where} closes the connection"
        case _:
            return f"{where}: {type(broken).__name__}"


def _hint(settings: Settings) -> str:
    """A likely reason why a server says nothing: it waits for TLS."""
    is_secured_port = settings.smtp_port == _TLS_PORT and settings.smtp_security != "tls"
    return f"; port {_TLS_PORT} usually needs smtp_security = tls" if is_secured_port else ""


def _sign_in(server: _Utf8, user: str, password: str) -> None:
    try:
        server.login(_Text(user), _Text(password))
    except smtplib.SMTPAuthenticationError as refused:
        raise NotSent(
            _("The mail server rejects the user or password (code {smtp_code})").format(smtp_code=refused.smtp_code)
        ) from refused
    except smtplib.SMTPNotSupportedError as lacking:
        raise NotSent(
            _("The mail server does not support sign-in here: check smtp_port and smtp_security, or clear smtp_user")
        ) from lacking
    except smtplib.SMTPResponseException as refused:
        raise NotSent(
            _("The mail server refuses the sign-in with code {smtp_code}").format(smtp_code=refused.smtp_code)
        ) from refused
    except OSError as broken:
        if type(broken) is smtplib.SMTPException:  # the others have classes of their own
            raise NotSent(
                _("The mail server supports none of the sign-in methods PLAIN, LOGIN and CRAM-MD5")
            ) from broken
        raise NotSent(
            _("The connection was lost during sign-in: {name}").format(name=type(broken).__name__)
        ) from broken


def _hand_over(server: _Utf8, message: EmailMessage) -> None:
    try:
        server.send_message(message)
    except smtplib.SMTPNotSupportedError as lacking:
        raise NotSent(_("The mail server accepts only ASCII addresses"), is_about_message=True) from lacking
    except smtplib.SMTPRecipientsRefused as refused:
        (code, _text), *_others = refused.recipients.values()
        raise NotSent(
            _("The mail server refuses the recipient with code {code}").format(code=code), is_about_message=True
        ) from refused
    except smtplib.SMTPSenderRefused as refused:
        raise NotSent(_sender_refused(refused.smtp_code)) from refused
    except smtplib.SMTPResponseException as refused:
        raise NotSent(
            _("The mail server refuses the message with code {smtp_code}").format(smtp_code=refused.smtp_code)
        ) from refused
    except (OSError, smtplib.SMTPException) as broken:
        raise NotSent(
            _("The connection was lost while the message was sent: {name}").format(name=type(broken).__name__)
        ) from broken
    except ValueError as broken:
        raise NotSent(_UNSENDABLE, is_about_message=True) from broken


def _sender_refused(code: int) -> str:
    if code == _SIGN_IN_FIRST:
        return f"The mail server requires a sign-in (code {code}): set smtp_user and smtp_password_file"
    return f"The mail server refuses the sender with code {code}: check smtp_from"


class _Policy(EmailPolicy):
    """Header folding that keeps machine-readable headers on one line: programs cannot parse a folded address."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() in _FOR_PROGRAMS:
            return f"{name}: {value}{self.linesep}".encode("ascii", "replace")
        return super().fold_binary(name, value)


_POLICY = _Policy()


def _compose(sender: str, mail: Mail) -> EmailMessage:
    """Raises NotSent for an address or a subject that makes no header. Strangers type addresses, and what Python's
    parser raises for odd ones is not bounded."""
    try:
        message = _message(sender, mail)
        bytes(message)
    except Exception as broken:
        raise NotSent(_UNSENDABLE, is_about_message=True) from broken
    return message


def _message(sender: str, mail: Mail) -> EmailMessage:
    """Raises ValueError for line breaks where a header would be forged, for a sender without a domain, and for a
    receiver that smtplib would read as another one, such as a(1)@b.c."""
    if parseaddr(mail.to) != ("", mail.to) or sender.rstrip(">").endswith("@"):
        raise ValueError
    message = EmailMessage(_POLICY)
    message["From"] = _with_sender_name(mail.of, sender) if mail.of else sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = formatdate(usegmt=True)
    domain = sender.rpartition("@")[2].rstrip(">") or "localhost"
    message["Message-ID"] = f"<{mail.id}@{domain}>" if mail.id else make_msgid(domain=domain)
    if mail.thread:
        message["References"] = f"<{mail.thread}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    for name, value in mail.headers:
        message[name] = value
    message.set_content(mail.text)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    for file in mail.files:
        main, _slash, sub = file.type.partition("/")
        message.add_attachment(file.content, maintype=main, subtype=sub, filename=file.name)
    return message


def _with_sender_name(name: str, sender: str) -> Address | str:
    """The sender under another name; as it is where its address is none that Python knows."""
    try:
        return Address(name, addr_spec=parseaddr(sender)[1])
    except (MessageError, ValueError, IndexError):
        return sender


def _connect(settings: Settings) -> _Utf8:
    host, port = settings.smtp_host, settings.smtp_port
    if settings.smtp_security == "tls":
        return _Utf8OverTls(host, port, timeout=SECONDS, context=tls_context())
    server = _Utf8(host, port, timeout=SECONDS)
    if settings.smtp_security == "starttls":
        try:
            server.starttls(context=tls_context())
        except BaseException:
            server.close()
            raise
    return server
