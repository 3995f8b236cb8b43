"""A message over SMTP, with what the operating system's Python has: loaded when the first one is sent."""

import smtplib
import ssl
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path

from analytics_box.notify.mail import Mail, NotSent
from analytics_box.settings import Settings

SECONDS = 10.0  # for connecting, and for each answer of the server
_UNSENDABLE = "The message has an address or a subject that cannot be sent"
_FOR_PROGRAMS = frozenset({"message-id", "references", "list-id", "list-unsubscribe", "list-unsubscribe-post"})


def send(settings: Settings, sender: str, mail: Mail) -> None:
    """Returns once the server has taken the message. Raises NotSent."""
    try:
        message = _written(sender, mail)
        password = _first_line(settings.smtp_password_file)
        with _connect(settings) as server:
            if settings.smtp_user:
                server.login(settings.smtp_user, password)
            server.send_message(message)
    except smtplib.SMTPAuthenticationError as refused:
        raise NotSent("The mail server does not accept the user or password") from refused
    except smtplib.SMTPNotSupportedError as lacking:
        raise NotSent("The mail server lacks what smtp_security or smtp_user ask for") from lacking
    except smtplib.SMTPRecipientsRefused as refused:
        raise NotSent("The mail server refuses the recipient", is_about_message=True) from refused
    except smtplib.SMTPResponseException as refused:
        raise NotSent(f"The mail server refuses the message with code {refused.smtp_code}") from refused
    except ssl.SSLError as broken:
        raise NotSent(f"No secure connection to the mail server: {broken.reason}") from broken
    except (OSError, smtplib.SMTPException) as broken:
        raise NotSent(f"The mail server cannot be reached: {type(broken).__name__}") from broken
    except ValueError as broken:
        raise NotSent(_UNSENDABLE, is_about_message=True) from broken


class _Policy(EmailPolicy):
    """Headers for programs stay in one line: where Python folds an address, no program knows it any more."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() in _FOR_PROGRAMS:
            return f"{name}: {value}{self.linesep}".encode("ascii", "replace")
        return super().fold_binary(name, value)


_POLICY = _Policy()


def _written(sender: str, mail: Mail) -> EmailMessage:
    """Raises NotSent for an address or a subject that makes no header. Strangers type addresses, and what Python's
    parser raises for odd ones is not bounded."""
    try:
        message = _message(sender, mail)
        bytes(message)
    except Exception as broken:
        raise NotSent(_UNSENDABLE, is_about_message=True) from broken
    return message


def _message(sender: str, mail: Mail) -> EmailMessage:
    """Raises ValueError for line breaks where a header would be forged."""
    message = EmailMessage(_POLICY)
    message["From"] = _named(mail.of, sender) if mail.of else sender
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
    return message


def _named(name: str, sender: str) -> Address | str:
    """The sender under another name; as it is where its address is none that Python knows."""
    try:
        return Address(name, addr_spec=parseaddr(sender)[1])
    except (MessageError, ValueError, IndexError):
        return sender


def _connect(settings: Settings) -> smtplib.SMTP:
    host, port = settings.smtp_host, settings.smtp_port
    if settings.smtp_security == "tls":
        return smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=ssl.create_default_context())
    server = smtplib.SMTP(host, port, timeout=SECONDS)
    if settings.smtp_security == "starttls":
        try:
            server.starttls(context=ssl.create_default_context())
        except BaseException:
            server.close()
            raise
    return server


def _first_line(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).expanduser().read_text("utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as broken:
        raise NotSent(f"smtp_password_file cannot be read: {type(broken).__name__}") from broken
