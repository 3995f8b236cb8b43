// What the page asked for: window.databuddyConfig < data-* attributes of the script tag < query of the script's URL.
// README.md beside this file lists the options.

const tag = document.currentScript;

/** Where the script came from; its parts come from there too, and events go there. */
export const address = new URL(tag.src);

/** @type {Record<string, any>} options by their camelCase name; parts.js reads numbers and lists out of the texts */
export const settings = { ...self.databuddyConfig };

for (const [name, text] of [...Object.entries(tag.dataset), ...address.searchParams]) {
  settings[name] = text != "false" && (text || true);
}
if (DEBUG) settings.debug = true;
