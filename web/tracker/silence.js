// Who is not counted, and how a visitor says so.

import { settings } from "./settings.js";

/**
 * Truthy while nothing may be recorded or sent. Masks, skipped paths and a filter are not part of this tracker yet:
 * a page that asks for them stays silent, because counting it would send what it wanted kept back.
 */
export function silent() {
  try {
    return (
      settings.disabled ||
      settings.skipPatterns ||
      settings.maskPatterns ||
      settings.filter ||
      navigator.globalPrivacyControl ||
      navigator.doNotTrack == 1 ||
      (!settings.ignoreBotDetection &&
        (navigator.webdriver ||
          // The last case is a page without a host: a file, or a document that a script wrote.
          (!settings.trackLocalhost && /(^|\.)local(host)?$|^(127|0)[\d.]+$|^$/.test(location.hostname)))) ||
      window.databuddyOptedOut ||
      localStorage.databuddy_opt_out ||
      localStorage.databuddy_disabled
    );
  } catch {
    // Storage is blocked, so there is no choice in it.
  }
}

/**
 * Remembers the visitor's choice; the only thing the tracker ever stores.
 * @param {boolean} out
 */
export function choose(out) {
  window.databuddyOptedOut = window.databuddyDisabled = out;
  try {
    localStorage.databuddy_opt_out = localStorage.databuddy_disabled = out || "";
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
}
