// Tabs of the lists on an overview: only the list is fetched, and its address becomes the page's, so that going back,
// reloading and sharing work. Without this script a tab is a link to the whole page.

import { sayFailed } from "./toasts.js";

const panelOf = (name) => document.querySelector(`[data-lists~="${CSS.escape(name)}"]`);
const chosen = () => (new URL(location).searchParams.get("tab") ?? "").split(",").filter(Boolean);

// An address with the tabs of this page; `own` is the list that the address itself chooses.
const withTabs = (address, own) => {
  const found = new URL(address, location);
  const names = chosen().filter((name) => !own || panelOf(name) !== panelOf(own));
  if (own && panelOf(own)?.dataset.lists.split(" ")[0] !== own) names.push(own);
  if (names.length) found.searchParams.set("tab", names.join(","));
  else found.searchParams.delete("tab");
  return found.pathname + found.search.replaceAll("%2C", ",").replaceAll("%2F", "/");
};

let changed = false; // a tab, alone

// After a tab has changed alone, everything else on the page has to lead on from it.
const follow = () => {
  const page = document.getElementById("page");
  for (const link of page?.querySelectorAll("a[href]") ?? []) {
    const before = link.getAttribute("href"); // links of the map, too, which are none of HTML
    if (before.startsWith("#") || new URL(before, location).pathname !== location.pathname) continue;
    link.setAttribute("href", withTabs(before, link.dataset.tab));
    if (link.dataset.part) link.dataset.part = withTabs(link.dataset.part, link.dataset.tab);
  }
  for (const form of page?.querySelectorAll("form[method=get]") ?? []) {
    form.querySelector("input[name=tab]")?.remove();
    if (!chosen().length) continue;
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: "tab", value: chosen().join(",") });
    form.append(field);
  }
};

document.addEventListener("click", (event) => {
  const tab = event.target.closest?.("a[data-part]");
  if (!tab || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  const { href, dataset } = tab;
  const panel = tab.closest("section");
  const before = panel.asked ?? location.href;
  panel.asked = before; // what it still waits for would come later, and in the place of this
  changed = true;
  globalThis.swaps.push(href);
  globalThis.swaps.swap(panel.id, dataset.part).catch((status) => {
    panel.asked = undefined;
    history.replaceState(history.state, "", before);
    sayFailed(status, () => tab.click());
  });
}, true);

// Somebody may have gone back before swaps.js listened: then the page is not that of its address.
document.addEventListener("DOMContentLoaded", () => {
  const [loaded] = performance.getEntriesByType("navigation");
  if (loaded.name.split("#")[0] !== location.href.split("#")[0]) location.reload();
});

document.addEventListener("settled", () => { if (changed) follow(); });

// The form for filters opens with its first field at hand.
document.addEventListener("toggle", ({ target }) => { if (target.matches?.(".filter[open]")) target.querySelector("select").focus(); }, true);

// A value that is chosen moves up in its list, a chip goes away: the keyboard goes on from where the value stands now.
let chose = "";
document.addEventListener("swapping", () => {
  const link = document.activeElement?.closest(".bar-link, .chip");
  chose = link ? `#${link.closest("section, nav").id || "filter-button"}` : "";
});
document.addEventListener("settled", () => {
  if (!chose || document.activeElement !== document.body) return;
  const place = document.querySelector(chose);
  if (place?.inert) return; // it is still to come
  const next = place?.querySelector(".bar-link[aria-current], .bar-link") ?? place ?? document.getElementById("filter-button");
  next?.focus({ preventScroll: true });
  chose = "";
});
