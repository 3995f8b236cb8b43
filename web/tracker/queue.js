// What waits to be sent, and the sending.
//
// A request is a plain text POST without headers of our own; the website's id is in its query. So browsers need no
// preflight. Every event has an eventId, so one that is sent again after a lost answer counts once. What options,
// failed requests and rarer calls need is in parts.js, which is loaded when the first of them comes up.

import { address, settings } from "./settings.js";
import { silent } from "./silence.js";

/**
 * What parts.js will see to, in its order: texts of events, DOM events, calls as [name, ...arguments], failed requests
 * as [texts, status]. Undefined as long as nobody needs it. parts.js takes it over by a `push` of its own.
 * @type {any[] | undefined}
 */
export let held;

/** Texts of events. */
let waiting = [];

/** Leaves something to parts.js. */
export function later(...entry) {
  held ||= load() || [];
  held.push(entry);
}

/** Tried again for as long as the network is gone: what has failed waits with it. */
function load() {
  import(address.origin + "/parts.js").then(
    (parts) => parts.default(held),
    () => setTimeout(load, 5000),
  );
}

/**
 * Sends all that waits, or forgets it where it may not be recorded. A page that is only prerendered keeps it.
 * @param {boolean} [leaving] the page may be gone in a moment: leave the request to the browser
 */
export function flush(leaving) {
  if (document.prerendering || !waiting[0]) return;
  const url = (settings.apiUrl || address.origin) + "/batch?client_id=" + settings.clientId;
  const texts = waiting;
  const body = `[${texts}]`;
  waiting = [];
  if (!silent() && !(leaving && navigator.sendBeacon?.(url, body))) {
    fetch(url, { method: "POST", body, keepalive: true }).then(
      (response) => response.ok || later(texts, response.status),
      () => later(texts),
    );
  }
}

/**
 * Queues an event. What cannot be written as JSON is dropped; nothing is ever thrown at the page. Ten events are a
 * request, and a long one ends it: nine short ones (27 KB at most) and what the box takes of one (32 KB of properties)
 * stay below the 60 KB that browsers take from a page that leaves.
 * @param {object} fields
 */
export function record(fields) {
  try {
    const text = JSON.stringify({ eventId: fields.name + Math.random(), timestamp: Date.now(), ...fields });
    if (held) held.push(text);
    else {
      waiting[0] || setTimeout(flush, 5000);
      if (waiting.push(text) > 9 || text[1000]) flush();
    }
  } catch {
    // A cycle or a BigInt in the page's properties.
  }
}
