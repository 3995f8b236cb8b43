// What the page asked for: window.databuddyConfig < data-* attributes of the script tag < query of the script's URL.
// README.md beside this file lists the options.

/** A module has no current script, and neither has code that was bundled with it. */
const tag = document.currentScript || document.querySelector("script[data-client-id]") || new Image();
const [source, query] = tag.src.split("?");

/** The folder that the script came from, which its parts also come from. Empty in a bundle's inline script. */
export const home = source.replace(/\/[^/]*$/, "");

/** @type {Record<string, any>} options by their camelCase name; parts.js reads numbers and lists out of the texts */
export const settings = { apiUrl: home, ...self.databuddyConfig };

for (const [name, text] of [...Object.entries(tag.dataset), ...new URLSearchParams(query)]) {
  settings[name] = text != "false" && (text || true);
}
if (DEBUG) settings.debug = true;
