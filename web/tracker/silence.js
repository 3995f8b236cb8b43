// Who is not counted. Options that overrule some of it are read in parts.js.

import { settings } from "./settings.js";

/** Truthy while nothing may be recorded or sent. Throws where storage is blocked. */
export function silent() {
  return (
    settings.disabled ||
    navigator.globalPrivacyControl ||
    navigator.doNotTrack > 0 ||
    navigator.webdriver ||
    // The last case is a page without a host: a file, or a document that a script wrote.
    /(^|\.)local(host)?\.?$|^((127|0)[.\d]+)?$/.test(location.hostname) ||
    self.databuddyOptedOut ||
    localStorage.databuddy_opt_out
  );
}

/** Remembers at once that the visitor is not to be counted, for the page may be reloaded in a moment. */
export function optOut() {
  try {
    self.databuddyOptedOut = self.databuddyDisabled = true;
    localStorage.databuddy_opt_out = localStorage.databuddy_disabled = true;
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
}
