"""Verifying a secret and its permissions: the one procedure of keys that needs no credential."""

from analytics_box.base.identity import ApiKey
from analytics_box.tenants.keys import rules
from analytics_box.tenants.keys.messages import Claim, Invalid, Valid
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call


async def verify(call: Call, given: Claim) -> Valid | Invalid:
    """apikeys.verify: verify a secret and return its permissions."""
    if not given.secret:
        return Invalid(False, "Send the secret of an API key", "MISSING_KEY")
    key = call.parts[KeyRing].look_up(given.secret)
    if key is None:
        return Invalid(False, "There is no API key with this secret", "INVALID_KEY")
    state = rules.state_of(key, call.now)
    if state == "revoked":
        return Invalid(False, "This API key is revoked", "REVOKED")
    if state == "disabled":
        return Invalid(False, "This API key is disabled", "DISABLED")
    if state == "expired":
        return Invalid(False, "This API key has expired", "EXPIRED")
    if given.trackUsage:
        call.parts[KeyRing].note_use(key, call.now)
    held = rules.effective(key, given.resource, within=_is_own(call, key, given.resource))
    matched = tuple(scope for scope in given.requiredScopes if scope in held)
    missing = tuple(scope for scope in given.requiredScopes if scope not in held)
    unreached = given.resource is not None and not held
    lacking = bool(missing) and (given.mode == "all" or not matched)
    if unreached or lacking:
        error = "This API key lacks what is required"
        return Invalid(False, error, "MISSING_SCOPES", tuple(sorted(held)), matched, missing)
    return Valid(True, keyId=key.id, ownerId=key.organization_id, scopes=tuple(sorted(held)))


def _is_own(call: Call, key: ApiKey, resource: str | None) -> bool:
    """Whether a named website is one of the key's organization."""
    if resource is None or not resource.startswith(rules.WEBSITE):
        return True
    website = call.parts[Directory].find(resource.removeprefix(rules.WEBSITE))
    return website is not None and website.organization_id == key.organization_id
