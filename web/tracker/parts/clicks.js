// Events of the page that nobody has to record: clicks on elements with data-track (trackAttributes), on links to files
// (trackDownloads) and to other hosts (trackOutgoingLinks), submitted forms (trackForms), missing pages (trackNotFound),
// searches on the website (trackSearch).

const FILE = new RegExp(
  "\\.(7z|apk|avi|csv|dmg|docx?|epub|exe|gz|iso|jar|key|midi?|mov|mp[34]|mpe?g|msi|numbers|od[pst]|pages|pdf|pkg|" +
    "pptx?|rar|rtf|tar|tgz|txt|wav|webm|wma|wmv|xlsx?|xz|zip)$",
  "i",
);

export default (core) => {
  const { trackAttributes, trackDownloads, trackForms, trackNotFound, trackOutgoingLinks, trackSearch } = core.settings;
  /** When it happened, in UTC ms: it may have waited for this part. */
  const at = (event) => Math.round(Date.now() - performance.now() + event.timeStamp);
  /** The text of a link, or the name of the picture that it consists of. */
  const textOf = (link) => {
    const names = [link, ...link.querySelectorAll("*")].map((part) => part.getAttribute("aria-label") || part.alt);
    return (link.textContent.trim() || names.find(Boolean) || link.title || "").slice(0, 255);
  };
  /** A host without the root's dot, which does not make it another. */
  const plain = (host) => host.replace(/\.(?=:|$)/, "");

  /** Records a page view whose page is missing. What the page says wins over the status, and the title comes last. */
  const examine = (view) => {
    const said = document.querySelector("[data-page-status]")?.dataset.pageStatus;
    const status = said || (view.page_count < 2 && performance.getEntriesByType("navigation")[0]?.responseStatus);
    if (status ? /^4(04|10)$/.test(status) : /\b404\b|\bnot found\b/i.test(document.title)) {
      core.record("/batch", { name: "not_found", interactive: false, path: view.path, properties: { referrer: view.referrer } });
    }
  };

  /** Records the term of a page view that shows results. @param {string} names query parameters, with commas */
  const search = (view, names) => {
    const query = new URLSearchParams(location.search);
    const term = names.split(",").map((name) => query.get(name.trim())?.trim()).find(Boolean);
    if (term) {
      const properties = { term: term.slice(0, 100).toLowerCase() };
      core.record("/batch", { name: "site_search", path: view.path, properties });
    }
  };

  if (trackForms) {
    const submitted = (event) => {
      const form = event.target;
      // Read as attributes: a field of the form may have one of these names.
      const [id, name, target] = ["id", "name", "action"].map((attribute) => form.getAttribute(attribute) || "");
      const action = new URL(target, document.baseURI);
      core.record("/batch", {
        name: "form_submit",
        properties: { form: (id || name).slice(0, 64), action: action.host + action.pathname },
        timestamp: at(event),
      });
    };
    addEventListener("submit", submitted, { capture: true, passive: true });
  }

  return (event) => {
    if (trackSearch && event.name == "screen_view") {
      search(event, trackSearch === true ? "q,query,s,search" : "" + trackSearch);
    }
    if (trackNotFound && event.name == "screen_view") {
      // A view inside the page gets its title a little later. By then rules.js has masked both addresses.
      setTimeout(examine, event.page_count > 1 ? 500 : 0, event);
    }
    // A click with the middle button opens a link, and does nothing else.
    const middle = event.type == "auxclick" && event.button == 1;
    if (!(middle || event.type == "click") || !event.target) return;
    const path = event.composedPath().length ? event.composedPath() : [event.target];
    // After its dispatch an event has no path any more; its target has.
    const closest = (selector) => path.map((node) => node.closest?.(selector)).find(Boolean);
    const link = closest("a[href],area[href]");
    if (middle && !link) return;
    const timestamp = at(event);

    const marked = trackAttributes && closest("[data-track]");
    if (marked?.dataset.track) {
      const { track: name, ...properties } = marked.dataset;
      core.record("/batch", { name, properties, timestamp });
    }
    if (!link) return;
    const address = new URL(link.href.baseVal ?? link.href, document.baseURI); // links in drawings have a baseVal
    const web = /^http/.test(address.protocol);
    if (trackOutgoingLinks && web && !event.told && plain(address.host) != plain(location.host)) {
      core.record("/batch", { type: "outgoing_link", href: address.href, text: textOf(link), timestamp });
    }
    const file = web && address.pathname.match(FILE);
    if (trackDownloads && (file || link.hasAttribute("download"))) {
      const properties = { href: address.href.split(/[?#]/)[0], text: textOf(link) };
      if (file) properties.extension = file[1].toLowerCase();
      core.record("/batch", { name: "file_download", properties, timestamp });
    }
  };
};
