// What a page needs beyond the core: loaded by it when the first such thing comes up. It brings the parts that options
// ask for, and sees to all that the core has held: in its order, with the time and the page at which it happened.

/** Part → options that ask for it, by what only their names have. */
const WANTED = {
  rules: /sam|lP|Pat|fil/,
  ids: /store/,
  clicks: /k[ADFNOS]/,
  interactions: /Inter/,
  errors: /Err/,
  vitals: /Vitals|Perf/,
  debug: /debug/,
  pixel: /Pixel/,
  delivery: /^/, // always: the core's own queue knows one route only
};
const api = self.databuddy;
const settings = api.options;

/** What happened while parts were on their way. @type {any[]} */
let kept = [];
/** Parts that were asked for. */
const asked = {};
let pending = 0;
/** Truthy while an entry is seen to. */
let busy;
/** Functions of parts that hear of DOM events and page events. @type {((event: any) => void)[]} */
const hearers = [];
/** Properties that every event of a page carries. */
let common;

/**
 * What parts get, and add to: rules, ids, debug (what passes them goes on), keep, again, flush (delivery), optIn and
 * optingIn (ids).
 */
const core = {
  settings,
  silent,
  start,
  take,
  /** Path of the open page view. */
  page: "",
  /** Records an event for a route, in its turn. */
  record(route, fields) {
    fields = event(fields);
    take(() => admit(route, fields));
  },
};

/** What pages may say beyond the core's own calls; ids.js knows more. */
const calls = {
  setGlobalProperties(properties) {
    common = { ...common, ...properties };
  },
  clear() {
    common = 0;
    core.clear?.();
  },
};

/** An event of the open page. */
function event(fields) {
  return { eventId: "" + Math.random(), timestamp: Date.now(), path: core.page, ...fields };
}

/** Truthy while nothing may be recorded or sent: silence.js, with the options that overrule some of it. */
function silent() {
  try {
    return (
      settings.disabled ||
      (!settings.ignorePrivacySignals && (navigator.globalPrivacyControl || navigator.doNotTrack > 0)) ||
      (!settings.ignoreBotDetection &&
        (navigator.webdriver ||
          (!settings.trackLocalhost && /(^|\.)local(host)?\.?$|^((127|0)[.\d]+)?$/.test(location.hostname)))) ||
      self.databuddyOptedOut ||
      localStorage.databuddy_opt_out
    );
  } catch {
    // Storage is blocked, so there is no choice in it.
  }
}

/** Lets an event through to delivery, unless a part keeps it back. */
function admit(route, event) {
  if (silent() || (core.optingIn && event.name == "page_exit")) return;
  if (route == "/batch") {
    if (event.properties || common) event.properties = { ...common, ...event.properties };
    core.page = event.path;
    for (const hear of hearers) hear?.(event);
  }
  for (const pass of [core.rules, core.ids, core.debug]) {
    if (pass && !pass(event, route)) return;
  }
  core.keep(route, event);
}

/** Sees to an entry of what the core holds (queue.js), or does what a part wants done in its turn. */
function handle(entry) {
  if (entry.trim) admit("/batch", JSON.parse(entry)); // a text, from a core of before, which a browser has kept
  else if (entry.eventId) admit("/batch", { ...entry });
  else if (entry.call) entry();
  else if (entry.type) {
    for (const hear of hearers) hear?.(entry);
    if (/^(vis|pageh)/.test(entry.type)) core.flush?.(1);
  } else {
    const [what, ...said] = entry;
    if (what?.map) core.again?.(what, ...said);
    else if (calls[what]) calls[what](...said);
    else if (!entry.length || (/^(id|setT|clearP)/.test(what) && !silent())) {
      load("ids");
      kept.unshift(() => core[what || "optIn"]?.(...said));
    }
  }
}

/** Sends events without what missing parts would have added. Those that keep things back are waited for. */
function sendBare() {
  if (asked.rules || document.prerendering || silent()) return;
  const events = [];
  kept = kept.filter((one) => {
    core.page = one.path || core.page;
    // Of a click as much as says where the visitor went; clicks.js reads the rest of it, should the page go on.
    const link = settings.trackOutgoingLinks && one.button < 2 && one.target.closest?.("a");
    if (link?.host && link.host != location.host) {
      one.told ??= events.push(event({ type: "outgoing_link", href: link.href, text: link.text }));
    }
    // Events, by themselves or of a request of the core that failed.
    const own = one.eventId ? [one] : one[0]?.map && one[0];
    return !own || !events.push(...own);
  });
  try {
    const url = settings.apiUrl + "/batch?client_id=" + settings.clientId;
    const body = () => `[${events.slice(0, 20).map((event) => JSON.stringify(event))}]`;
    while (events[0] && navigator.sendBeacon(url, body())) events.splice(0, 20);
  } catch {
    // The page has replaced this function.
  }
  kept.unshift(...events);
}

/** Sees to an entry after all that came before it; what comes of an entry goes with it. */
function take(entry) {
  if (busy && !pending) return handle(entry);
  // A part may never come: then what visitors do is kept up to this bound.
  if (!(pending && kept[999] && entry.type)) kept.push(entry);
  if (pending && entry.type == "pagehide") sendBare();
  while (!pending && !busy && kept.length) {
    busy = 1;
    try {
      handle(kept.shift());
    } catch {
      // Never thrown at the page.
    }
    busy = 0;
  }
}

function load(name) {
  if (asked[name]) return;
  asked[name] = 1;
  pending++;
  bring(name);
}

/** A part that cannot be loaded is done without. What keeps things back and what sends is not: all waits for it. */
function bring(name, tries = "") {
  import(new URL(`parts/${name}.js?v=${HASH}${tries}`, import.meta.url))
    .then(async (part) => hearers.push(await part.default(core)))
    .then(arrived, () => {
      if (!/rules|deliv/.test(name)) return arrived();
      sendBare();
      setTimeout(bring, 5000, name, tries + "&");
    });
}

function arrived() {
  pending--;
  api.flush();
}

/** Loads what options ask for; of a visitor who is not counted only what explains it and what forgets who it was. */
function start() {
  for (const part in WANTED) {
    for (const name in settings) {
      const wanted = WANTED[part].test(name) && (settings[name] ?? false) !== false;
      if (wanted && (!silent() || /debug|ids/.test(part))) load(part);
    }
  }
}

/** @param {any[]} held by the core, so far; from now on what it pushes comes here */
export default function (held) {
  settings.apiUrl ??= new URL(import.meta.url).origin; // which that one left out
  for (const name in settings) {
    try {
      if (typeof settings[name] == "string") settings[name] = JSON.parse(settings[name]);
    } catch {
      // A text.
    }
  }
  api.flush = () => take(() => core.flush?.());
  api.getProfileId = () => null;
  api.getTrackingIds = () => ({ anonId: null, sessionId: null });
  start();
  held.push = take;
  held.splice(0).map(take);
}
