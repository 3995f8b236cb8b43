// Who it is: a visitor's id and session kept in the browser where the page asks for it (storeVisitorIds), and the
// page's own profile. Without that option the profile is known to this page only, and nothing is stored.

const IDLE_MS = 30 * 60_000;
const CLICKS = ["gclid", "fbclid", "ttclid", "twclid", "li_fat_id", "msclkid"];

export default (core) => {
  const { settings } = core;
  const api = self.databuddy;
  const stored = settings.storeVisitorIds;
  const asked = new URL(location).searchParams;

  /** A storage, or something like it for as long as this page lasts. */
  function open(name) {
    try {
      if (stored) return self[name];
    } catch {
      // Blocked.
    }
    return {
      setItem(key, text) {
        this[key] = text;
      },
      removeItem(key) {
        delete this[key];
      },
    };
  }
  const local = open("localStorage");
  const session = open("sessionStorage");
  const put = (storage, key, text) => {
    try {
      storage.setItem(key, text);
    } catch {
      // Full.
    }
    return text;
  };
  const uuid = () =>
    crypto.randomUUID?.() ??
    "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
      (+digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (+digit / 4)))).toString(16),
    );
  /** An id that another site of the owner handed over in the address. */
  const given = (name, prefix) => {
    const id = asked.get(name);
    return new RegExp(`^${prefix}_[\\w-]{8,100}$`).test(id) ? id : undefined;
  };

  const anonymous = () => local.did || put(local, "did", "anon_" + uuid());
  const visitor = () => ({ anonymousId: anonymous(), anonymizeVisitorIds: settings.anonymizeVisitorIds });
  /** The session at a moment, a new one after 30 minutes without any event. */
  function sessionAt(now) {
    if (!(now - session.did_session_timestamp < IDLE_MS)) {
      put(session, "did_session", "sess_" + uuid());
      put(session, "did_session_start", now);
    }
    put(session, "did_session_timestamp", now);
    return session.did_session;
  }
  const forget = (storage, keys) => keys.map((key) => storage.removeItem("did" + key));

  if (stored && !core.silent()) {
    const [visitor, visit] = [given("anonId", "anon"), given("sessionId", "sess")];
    if (visitor) put(local, "did", visitor);
    if (visit && visit != session.did_session) {
      put(session, "did_session", visit);
      put(session, "did_session_start", Date.now());
      put(session, "did_session_timestamp", Date.now());
    }
    const clicks = Object.fromEntries(CLICKS.filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]));
    if (Object.keys(clicks).length) put(local, "did_params", JSON.stringify(clicks));
  }

  core.ids = (event, route) => {
    const page = route == "/batch";
    if (stored) {
      Object.assign(event, visitor());
      event.sessionId = sessionAt(event.timestamp);
      if (page) event.sessionStartTime = +session.did_session_start;
    }
    if (page && local.did_profile) event.profileId = local.did_profile;
    // What a click brought belongs to what came of it; where a session comes from, its own page views say.
    if (page && !/^(screen_view|page_exit)$/.test(event.name) && local.did_params) {
      Object.assign(event, JSON.parse(local.did_params));
    }
    return true;
  };

  const send = (traits) => {
    core.keep("/identify", { profileId: local.did_profile, traits, ...(stored && visitor()) });
  };
  core.identify = (profileId, traits) => {
    if (!profileId) return;
    const id = put(local, "did_profile", String(profileId).slice(0, 128));
    // Once in a session is enough, however many pages say it. What it said is kept as a number only.
    let said = 0;
    for (const sign of JSON.stringify([id, traits])) said = (said * 31 + sign.codePointAt(0)) | 0;
    if (session.did_profile_sent == said) return;
    put(session, "did_profile_sent", said);
    send(traits);
  };
  core.setTraits = (traits) => {
    if (local.did_profile) send(traits);
  };
  core.clearProfile = () => {
    forget(local, ["_profile"]);
    forget(session, ["_profile_sent"]);
  };
  core.clear = () => {
    core.clearProfile();
    forget(local, ["", "_params"]);
    forget(session, ["_session", "_session_timestamp", "_session_start"]);
  };
  /** Counts a visitor who had opted out, from now on. */
  core.optIn = () => {
    if (!core.silent()) return;
    self.databuddyOptedOut = self.databuddyDisabled = false;
    try {
      delete localStorage.databuddy_opt_out;
      delete localStorage.databuddy_disabled;
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
    core.start();
    core.take(() => {
      core.optingIn = true; // The exit of the view that was not counted is not either.
      api.screenView();
      core.optingIn = false;
    });
  };
  if (self.databuddyOptedOut || local.databuddy_opt_out) core.clear();
  api.getProfileId = () => local.did_profile ?? null;
  api.getTrackingIds = () => ({ anonId: local.did ?? null, sessionId: session.did_session ?? null });
};
