// Analytics Box tracker: page views, engaged time, custom events. Cookieless: no id is made, sent or stored.

import { flush, record } from "./queue.js";
import { settings } from "./settings.js";
import { choose, silent } from "./silence.js";

/** Query parameters that tell where a visit comes from; sent as fields under their own names. */
const SOURCE = /^utm_|(cl.?|fat_)id$|^(ref|source)$/;

/** What the open page view said of itself; its exits say it again. @type {object} */
let view;
let views = 0;
/** The open page, and the page before it. */
let here = path();
let referrer = document.referrer.split("?")[0] || "direct";
/** While visible: when that began, in ms. While hidden: what the last exit left of a second, negative. */
let shownAt;
let interactions;
/** Lowest pixel that was on screen. */
let bottom;
/** The page view that waits for its title. @type {number | undefined} */
let timer;
/** Properties that every event carries. */
let common = {};

/** The page's address without its query, and without its fragment unless that is what routes. */
function path() {
  return location.origin + location.pathname + (settings.trackHashChanges ? location.hash.split("?")[0] : "");
}

/**
 * Opens a page view and sends it at once, with whatever waits. A prerendered page has to be shown first.
 * @param {object} [properties]
 */
function begin(properties) {
  if (document.prerendering) return;
  view = {
    path: here,
    properties: { ...common, ...properties },
    page_count: ++views,
    referrer,
    language: navigator.language,
    screen_resolution: screen.width + "x" + screen.height,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    viewport_size: innerWidth + "x" + innerHeight,
    title: document.title,
  };
  for (const [name, text] of new URL(location).searchParams) {
    if (SOURCE.test(name)) view[name] = text;
  }
  shownAt = interactions = 0;
  bottom = innerHeight;
  shown();
  record("screen_view", view);
  flush();
}

/** Starts the clock of engaged time, if the page is visible. */
function shown() {
  if (!document.hidden) shownAt += performance.now();
}

/**
 * Records what happened since the page was shown: whole seconds looked at, interactions, depth in percent. A page that
 * is shown and hidden again reports only what was added, so the sums over a view's exits are right.
 */
function exit() {
  if (shownAt > 0) {
    const ms = performance.now() - shownAt;
    shownAt = -ms % 1000;
    record("page_exit", {
      ...view,
      interaction_count: interactions,
      eventId: "exit_" + Math.random(),
      time_on_page: (ms / 1000) | 0,
      scroll_depth: Math.min(((bottom / document.documentElement.scrollHeight) * 100) | 0, 100),
    });
    interactions = 0;
  }
}

/** When the address has changed: leaves the old page now, opens the new one when it has set its title. */
function navigated() {
  const now = path();
  if (now != here) {
    exit();
    referrer = here;
    here = now;
    clearTimeout(timer);
    timer = setTimeout(begin);
  }
}

// The script may be on the page twice: the first one counts.
if (!window.databuddy) {
  window.databuddy = {
    flush,
    setGlobalProperties(properties) {
      common = { ...common, ...properties };
    },
    clear() {
      common = {};
    },
    track(name, properties) {
      record(name, { path: here, properties: { ...common, ...properties }, source: "browser" });
    },
    options: settings,
    screenView(properties) {
      exit();
      begin(properties);
    },
  };
  window.db ||= window.databuddy; // the page may have a db of its own
  window.databuddyOptOut = () => choose(true);
  window.databuddyOptIn = () => {
    if (silent()) {
      choose(false);
      begin();
    }
  };

  for (const method of ["pushState", "replaceState"]) {
    const original = history[method];
    history[method] = (...change) => {
      original.apply(history, change);
      navigated();
    };
  }

  // Captured on the window, so that events which do not bubble arrive too.
  for (const [type, reaction] of Object.entries({
    keydown() {
      interactions++;
    },
    click() {
      interactions++;
    },
    visibilitychange() {
      exit();
      flush(true);
      shown();
    },
    pagehide() {
      exit();
      flush(true);
    },
    prerenderingchange() {
      begin();
    },
    popstate: navigated, // fragments too
    scroll() {
      bottom = Math.max(bottom, scrollY + innerHeight);
    },
    pageshow(event) {
      if (event.persisted) begin(); // back from the back/forward cache
    },
  })) {
    addEventListener(type, reaction, true);
  }

  begin();
}
