// The queue of a page that has parts: routes, batches, retries. Requests are like the core's: plain text, no headers.

import { watch } from "../history.js";

/** Bytes of a request's body at most; browsers take 64 KB from a page that leaves. */
const MOST_BYTES = 60_000;
/** Characters that do not wait any longer: all that is under way when a page is left has to fit into those 64 KB. */
const MANY = 18_000;
/** Events of a request at most: what the box takes on its narrowest routes. */
const MOST_EVENTS = 20;
/** Time that pages have to set their titles after their addresses, as in the core. */
const TITLE_MS = 500;

export default async (core) => {
  const { settings } = core;
  const number = (name, usual, least, most) => Math.min(Math.max(+(settings[name] ?? usual) || 0, least), most);
  const size = number("batchSize", 10, 1, 50);
  const timeout = number("batchTimeout", 5000, 100, 30_000);
  const alone = settings.enableBatching === false;
  const retries = settings.enableRetries === false ? 0 : number("maxRetries", 3, 0, 20);
  const delay = number("initialRetryDelay", 500, 0, 30_000);
  /** Page views are sent at once, unless the page wants batches of its own. */
  const patient = settings.batchSize ?? settings.batchTimeout;
  const query = new URLSearchParams({ client_id: settings.clientId });
  for (const [name, option] of [["sdk_name", "sdk"], ["sdk_version", "sdkVersion"]]) {
    if (settings[option]) query.set(name, settings[option]);
  }

  /** Route, text and failed tries of each event that waits. @type {[string, string, number][]} */
  let waiting = [];
  let characters = 0;
  let timer;
  /** True while an /identify is under way: another one might overtake it. */
  let telling;

  const soon = (ms) => {
    if (!ms) timer = clearTimeout(timer);
    timer ||= setTimeout(core.flush, ms);
  };

  /** The item of the open page view and its event, until it has its title. @type {[any, any] | undefined} */
  let untitled;

  /** Gives the open page view the title that the page has by now. */
  function entitle() {
    if (untitled) untitled[0][1] = JSON.stringify({ ...untitled[1], title: document.title });
    untitled = undefined;
  }

  async function post(route, items, leaving) {
    const texts = items.map((item) => item[1]);
    const single = alone && route == "/batch";
    const url = (settings.apiUrl ?? core.origin) + (single ? "/" : route) + "?" + query;
    const body = single || route == "/identify" ? texts[0] : `[${texts}]`;
    const beacon = () => {
      try {
        return navigator.sendBeacon(url, body);
      } catch {
        // There is none, or the page has replaced it by something that throws.
      }
    };
    if (leaving && beacon()) return;
    let status;
    try {
      status = (await fetch(url, { method: "POST", body, keepalive: body.length < 20_000 })).status;
    } catch {
      // No connection, or the page has replaced this function. The last try goes the other way.
      status = items[0][2] >= retries && beacon() ? 200 : 0;
    }
    core.answered?.(url, texts.length, status);
    if (route == "/identify") telling = false;
    if (!status || /408|42[59]|5../.test(status)) again(items);
    else if (waiting.some((item) => item[0] == "/identify")) soon(0);
  }

  function again(items) {
    const left = items.filter((item) => item[2]++ < retries);
    // What is said of a profile goes on where it was; anything else may come in any order.
    waiting = items[0][0] == "/identify" ? [...left, ...waiting] : [...waiting, ...left];
    if (waiting[0]) soon(Math.min(Math.max(delay << (items[0][2] - 1), 250), 30_000));
  }

  core.flush = (leaving) => {
    timer = clearTimeout(timer);
    if (!navigator.onLine) return;
    entitle();
    const groups = {};
    const kept = [];
    for (const item of core.silent() ? [] : waiting) {
      if (item[0] == "/identify" && !leaving) {
        if (telling) {
          kept.push(item);
          continue;
        }
        telling = true;
      }
      const bytes = new Blob([item[1]]).size + 1;
      const most = alone || item[0] == "/identify" ? 1 : MOST_EVENTS;
      let group = groups[item[0]];
      if (group && (group.items.length >= most || group.bytes + bytes > MOST_BYTES)) {
        post(item[0], group.items, leaving);
        group = undefined;
      }
      group = groups[item[0]] = group || { items: [], bytes: 2 };
      group.items.push(item);
      group.bytes += bytes;
    }
    waiting = kept;
    characters = 0;
    for (const route in groups) post(route, groups[route].items, leaving);
  };

  /** When a page that was only prerendered was shown, in UTC ms: all that happened before happens then. */
  let shown = 0;

  core.keep = (route, event) => {
    event.timestamp = Math.max(event.timestamp, shown);
    if (core.pixel?.(route, event)) return;
    const text = JSON.stringify(event);
    const item = [route, text, 0];
    const view = event.name == "screen_view";
    const later = view && event.page_count > 1;
    if (view || event.name == "page_exit") entitle();
    characters += text.length;
    const full = waiting.push(item) >= size || characters > MANY;
    // Unless the page's own filter has given it another one.
    if (later && event.title == document.title) untitled = [item, event];
    if (later && !patient) setTimeout(core.flush, TITLE_MS);
    // At once is after what else happens now: together and in order.
    const now = full || (!later && (alone || (view && !patient))) || route == "/identify";
    soon(now ? 0 : timeout);
  };

  core.again = (events, status) => {
    if (!status || /408|42[59]|5../.test(status)) {
      // Texts come from a core of before, which a browser has kept for an hour; so does an origin.
      again(events.map((event) => ["/batch", event.big ? event : JSON.stringify(event), 0]));
    }
  };

  addEventListener("online", () => core.flush());
  if (!self.navigation?.currentEntry) watch();
  if (document.prerendering) {
    await new Promise((done) => document.addEventListener("prerenderingchange", done));
    shown = Date.now();
  } else {
    // It may have been shown while this part was on its way.
    const active = performance.getEntriesByType("navigation")[0]?.activationStart;
    if (active) shown = Math.floor(performance.timeOrigin + active);
  }
};
