// Clicks that are events: elements with data-track (trackAttributes) and links to files (trackDownloads).

const FILE = new RegExp(
  "\\.(7z|apk|avi|csv|dmg|docx?|epub|exe|gz|iso|jar|key|midi?|mov|mp[34]|mpe?g|msi|numbers|od[pst]|pages|pdf|pkg|" +
    "pptx?|rar|rtf|tar|tgz|txt|wav|webm|wma|wmv|xlsx?|xz|zip)$",
  "i",
);

export default (core) => {
  const { trackAttributes, trackDownloads } = core.settings;
  /** When it happened, in UTC ms: it may have waited for this part. */
  const at = (event) => Math.round(Date.now() - performance.now() + event.timeStamp);

  return (event) => {
    if (event.type != "click" || !event.target) return;
    const path = event.composedPath().length ? event.composedPath() : [event.target];
    // After its dispatch an event has no path any more; its target has.
    const closest = (selector) => path.map((node) => node.closest?.(selector)).find(Boolean);

    const marked = trackAttributes && closest("[data-track]");
    if (marked?.dataset.track) {
      const { track: name, ...properties } = marked.dataset;
      core.record("/batch", { name, properties, timestamp: at(event) });
    }
    const link = trackDownloads && closest("a[href],area[href]");
    const file = link && /^https?:/.test(link.protocol) && link.pathname.match(FILE);
    if (file || (link && link.hasAttribute("download"))) {
      const properties = { href: link.href.split(/[?#]/)[0], text: link.textContent.trim().slice(0, 255) };
      if (file) properties.extension = file[1].toLowerCase();
      core.record("/batch", { name: "file_download", properties, timestamp: at(event) });
    }
  };
};
