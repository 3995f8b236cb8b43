// What waits to be sent, and the sending.
//
// A request is a plain text POST without headers of our own; the website's id is in its query. So browsers need no
// preflight. Every event has an eventId, so one that is sent again after a lost answer counts once. What options,
// failed requests and rarer calls need is in parts.js, which is loaded when the first of them comes up.

import { home, settings } from "./settings.js";
import { silent } from "./silence.js";

/**
 * What parts.js will see to, in its order: events, DOM events, calls as [name, ...arguments], failed requests as
 * [events, status]. Undefined as long as none of it is needed. parts.js takes it over by a `push` of its own.
 * @type {any[] | undefined}
 */
export let held;

/** Events. */
let waiting = [];

/** Times that parts.js was asked for: where the script came from, then, for a bundle, where events go. */
let tries = 0;

/** Leaves something to parts.js. */
export function later(...entry) {
  held ||= load() || [];
  held.push(entry);
}

/** Tried again for as long as the network is gone: what has failed waits with it. */
function load() {
  import((tries++ % 2 ? settings.apiUrl : home) + "/parts.js").then(
    (parts) => parts.default(held),
    () => setTimeout(load, 5000),
  );
}

/**
 * Sends all that waits, or forgets it where it may not be recorded.
 * @param {boolean} [leaving] the page may be gone in a moment: leave the request to the browser
 */
export async function flush(leaving) {
  const events = waiting;
  // One by one: pages with an old library write arrays as texts.
  const body = `[${events.map((event) => JSON.stringify(event))}]`;
  const url = settings.apiUrl + "/batch?client_id=" + settings.clientId;
  waiting = [];
  try {
    if (!events[0] || silent() || (leaving && navigator.sendBeacon(url, body))) return;
  } catch {
    // Storage is blocked, so there is no choice in it; or the page has replaced this function by one that throws.
  }
  try {
    leaving = await fetch(url, { keepalive: 1, body, method: "POST" });
  } catch {
    // There is no answer.
  }
  leaving?.ok || later(events, leaving?.status);
}

/**
 * Queues an event. What cannot be written as JSON is dropped; nothing is ever thrown at the page. Ten events are a
 * request, and a long one ends it: nine short ones (27 KB at most) and what the box takes of one (32 KB of properties)
 * stay below the 60 KB that browsers take from a page that leaves. A page that is only prerendered has no events yet:
 * they happen when it is shown.
 * @param {object} fields
 * @returns {object | undefined} the event that waits
 */
export function record(fields) {
  try {
    fields.eventId = fields.name + Math.random();
    fields.timestamp = Date.now();
    const text = JSON.stringify(fields);
    fields.properties = JSON.parse(text).properties;
    if (held) held.push(fields);
    else {
      waiting[0] || setTimeout(flush, 5000);
      if (waiting.push(fields) > 9 || text[1000]) flush();
    }
  } catch {
    // A cycle or a BigInt in the page's properties.
  }
}
