// What waits to be sent, and the sending.
//
// A request is a plain text POST without headers of our own; the website's id is in its query. So browsers need no
// preflight. Every event has an eventId, so one that is sent again after a lost answer counts once.

import { address, settings } from "./settings.js";
import { silent } from "./silence.js";

/** Route → its waiting events: JSON texts, each with a comma before it. @type {Record<string, string>} */
let waiting = {};
/** @type {number | undefined} */
let timer;
/** Failed requests in a row, at most 3: each doubles the delay. */
let failures = 0;

/**
 * @param {string} route
 * @param {string} text
 * @returns {string} all that waits for the route
 */
function keep(route, text) {
  timer ||= setTimeout(flush, 2000 << failures);
  return (waiting[route] = (waiting[route] || "") + text);
}

/**
 * Sends all that waits, or forgets it when the visitor has opted out meanwhile. While a page is only prerendered it
 * waits on. Network errors and refusals that may pass (408, 429, 5xx) are tried again 3 times.
 * @param {boolean} [leaving] the page may be gone in a moment: leave the request to the browser
 */
export function flush(leaving) {
  if (document.prerendering) return;
  timer = clearTimeout(timer);
  for (const [route, text] of Object.entries(waiting)) {
    const url = (settings.apiUrl || address.origin) + route + (settings.clientId || settings.websiteId);
    const body = `[${text.slice(1)}]`;
    if (silent() || (leaving && navigator.sendBeacon?.(url, body))) continue;
    fetch(url, { method: "POST", body, keepalive: true })
      .then(
        (response) => response.status,
        () => 503,
      )
      .then((status) => {
        if (status < 408) failures = 0;
        else if (failures < 3) {
          failures++;
          keep(route, text);
        }
      });
  }
  waiting = {};
}

/**
 * Queues an event. What cannot be written as JSON is dropped; nothing is ever thrown at the page.
 * @param {string} name
 * @param {object} fields page events have a referrer, custom events have none
 */
export function record(name, fields) {
  try {
    const full =
      !silent() &&
      keep(
        fields.referrer ? "/batch?client_id=" : "/track?website_id=",
        "," + JSON.stringify({ name, eventId: "" + Math.random(), timestamp: Date.now(), ...fields }),
      )[8000]; // characters; browsers take at most 64 KB from a page that leaves, the box at most 100 events
    if (full) flush();
  } catch {
    // A cycle or a BigInt in the page's properties.
  }
}
