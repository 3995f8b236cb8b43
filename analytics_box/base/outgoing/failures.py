"""Failures of outgoing requests, as one tree; `code` is for programs, the message for people.

        Failed
        ├─ Refused       refused          the address is not one that the box may ask
        ├─ NotResolved   dns              the name has no address
        │  └─ NoSuchName dns              the name does not exist
        ├─ NotConnected  connect          nobody answers there
        ├─ NotSecure     tls              no secure connection
        │  └─ NotTrusted tls              the certificate has ended, does not fit, or nobody vouches for it
        ├─ TooSlow       timeout          the deadline was over
        ├─ TooLarge      too_large        the answer is larger than allowed
        └─ BadAnswer     bad_answer       what came back is not HTTP, or ended early

No message holds a path, a query or a credential: these can be secrets of the user who entered the address.
"""

from typing import ClassVar, Literal

Code = Literal["failed", "refused", "dns", "connect", "tls", "timeout", "too_large", "bad_answer"]


class RequestFailed(Exception):
    """A request that got no answer. The message is for the user who entered the address."""

    code: ClassVar[Code] = "failed"


class AddressRefused(RequestFailed):
    """The address is not one that the box may ask (security: outgoing requests)."""

    code = "refused"


class NotResolved(RequestFailed):
    code = "dns"


class NoSuchName(NotResolved):
    pass


class NotConnected(RequestFailed):
    code = "connect"


class NotSecure(RequestFailed):
    code = "tls"


class NotTrusted(NotSecure):
    pass


class TooSlow(RequestFailed):
    code = "timeout"


class TooLarge(RequestFailed):
    code = "too_large"


class BadAnswer(RequestFailed):
    code = "bad_answer"
