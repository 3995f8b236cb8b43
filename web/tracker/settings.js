// What the page asked for: window.databuddyConfig < data-* attributes of the script tag < query of the script's URL.
// README.md beside this file lists the options.

const tag = document.currentScript;

/** Where the script came from, which is also where events go. */
export const address = new URL(tag.src);

/** @type {Record<string, any>} options by their camelCase name; a bare attribute is true, "false" is false */
export const settings = { ...window.databuddyConfig };

for (const [name, text] of [...Object.entries(tag.dataset), ...address.searchParams]) {
  settings[name] = text != "false" && (text || true);
}
