// Analytics Box tracker: page views, engaged time, custom events. Cookieless: no id is made, sent or stored. What else
// a page asks for comes in parts (parts.js).

import { flush, held, later, record } from "./queue.js";
import { settings } from "./settings.js";
import { optOut } from "./silence.js";

/** What the open page view said of itself; its exits say it again. @type {object} */
let view;
let views = 0;
/** The open page, and the page before it. */
let here = page(location.href);
let referrer = page(document.referrer);
/** While visible: when that began, in ms. While hidden: what the last exit left of a second, negative. */
let shownAt;
/** Lowest pixel that was on screen. */
let bottom;
/** Truthy while a new address may still redirect. */
let timer;

/** An address without its query, and without its fragment unless that is what routes. */
function page(address) {
  return address.replace(settings.trackHashChanges ? /\?[^#]*/g : /[?#].*/, "");
}

/**
 * Opens a page view. The first one is sent at once, with whatever waits. Later ones wait until the page has had time to
 * set its title.
 * @param {object} [properties]
 */
function begin(properties) {
  view = {
    // Read when the view is sent, and with each exit.
    get title() {
      return document.title;
    },
    viewport_size: innerWidth + "x" + innerHeight,
    path: here,
    properties,
    name: "screen_view",
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen_resolution: screen.width + "x" + screen.height,
    page_count: ++views,
    language: navigator.language,
    referrer,
  };
  for (const [name, text] of new URLSearchParams(location.search)) {
    // Where a visit comes from; sent as fields under their own names.
    if (/^utm_|(cl.?|fat_)id$|^(ref|source)$/.test(name)) view[name] = text;
  }
  shownAt = timer = 0;
  bottom = innerHeight;
  shown();
  record(view);
  setTimeout(flush, views > 1 && 500);
}

/** Starts the clock of engaged time, if the page is visible. */
function shown() {
  if (!document.hidden) shownAt += performance.now();
}

/**
 * Records what happened since the page was shown: whole seconds looked at, depth in percent. A page that is shown and
 * hidden again reports only the time that was added, so the sum over a view's exits is right.
 */
function exit() {
  if (shownAt > 0) {
    const ms = performance.now() - shownAt;
    shownAt = -ms % 1000;
    record({
      ...view,
      time_on_page: (ms / 1000) | 0,
      scroll_depth: (bottom / document.documentElement.scrollHeight) * 100,
      name: "page_exit",
    });
  }
}

/** When the address has changed: leaves the old page now, opens the new one when that is no redirect. */
function navigated() {
  const now = page(location.href);
  if (now != here) {
    exit();
    referrer = here;
    here = now;
    timer ||= setTimeout(begin);
  }
}

// The script may be on the page twice: the first one counts.
if (!self.databuddy) {
  // Calls that the core does not know are parts.js's. `then` is none, or `await analyticsBox` would wait for ever.
  const api = (self.databuddy = self.analyticsBox = new Proxy(
    {
      then: 0,
      options: settings,
      flush,
      screenView(properties) {
        exit();
        begin(properties);
      },
      // `options` has other fields of the event, such as interactive: false.
      track(name, properties, options) {
        record({ ...options, name, path: here, properties });
      },
    },
    { get: (known, name) => known[name] ?? later.bind(known, name) },
  ));
  self.db ||= api; // The page may have a db of its own.
  self.databuddyOptOut = optOut;
  self.databuddyOptIn = later;

  // Captured on the window, so that events which do not bubble arrive too. Parts hear of all of them.
  for (const [type, reaction] of Object.entries({
    auxclick() {},
    visibilitychange() {
      exit();
      flush(1);
      shown();
    },
    pageshow(event) {
      if (event.persisted) begin(); // back from the back/forward cache
    },
    pagehide() {
      exit();
      flush(1);
    },
    click() {},
    error() {},
    unhandledrejection() {},
    databuddy: navigated, // sent by history.js
    scroll() {
      bottom = Math.max(bottom, scrollY + innerHeight);
    },
  })) {
    addEventListener(
      type,
      (event) => {
        reaction(event);
        held?.push(event);
      },
      1,
    );
  }

  // Capitals that the core's own options lack, and letters of three others.
  if (/[^a-zCHIU,]|fi|kI|ug/.test(Object.keys(settings)) || document.prerendering) later(0);
  begin();
  // In older browsers a part sees to it. There a page's own element or variable may have that name.
  self.navigation?.currentEntry ? navigation.addEventListener("currententrychange", navigated) : later(0);
}
