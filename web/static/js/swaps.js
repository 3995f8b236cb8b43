// Within [data-swaps] a link or a form that leads to the same page with other figures fetches it, and that part of the
// page is put in the place of the one that stands; what is marked with data-whole leads to a whole page. An element with
// data-reload is fetched again when the page hears of what it names.
import { hide, sayFailed } from "./toasts.js";

const PATIENCE = 30_000; // ms
const SOON = 250; // ms until what stands is dimmed: what is there sooner would only flicker, and is drawn later
const asking = new Map(); // who is asked for a part of the page, by its id

// A part of the page that is still to come shows what stood there, which leads nowhere by now.
const keepOld = (fresh, old) => {
  for (const part of fresh.querySelectorAll("section:is([aria-busy], [data-folded])")) {
    const before = old.querySelector(`#${CSS.escape(part.id)}`);
    if (!before || before.matches("[aria-busy]:not(.stale), [data-folded]")) continue;
    part.setAttribute("aria-busy", "true");
    part.classList.add("stale");
    part.inert = true;
    part.replaceChildren(...before.childNodes);
  }
};

// What had the keyboard has it again as soon as it can be used; values of lists change their places (tabs.js).
let focused = "";
const focus = () => {
  if (!focused) return;
  const element = document.activeElement === document.body ? document.getElementById(focused) : null;
  if (element?.closest("[inert]")) return;
  element?.focus({ preventScroll: true });
  focused = "";
};
document.addEventListener("settled", focus);

// What was not in sight keeps its place and is drawn when what is in sight stands (drawn.js, chart.js).
const drawFirst = (fresh, old) => {
  for (const before of old.querySelectorAll("section.panel[id]")) {
    const now = fresh.querySelector(`#${CSS.escape(before.id)}`);
    if (!now) continue;
    const { top, bottom } = before.getBoundingClientRect();
    const seen = (top < innerHeight && bottom > 0) || before.contains(document.activeElement);
    now.classList.add(seen ? "drawn" : "later");
    if (!seen) now.style.setProperty("--stood", `${before.offsetHeight}px`);
  }
};

const put = (fresh, old) => {
  const active = document.activeElement;
  if (old.contains(active)) focused = active.matches(".bar-link") ? "" : active.id;
  keepOld(fresh, old);
  drawFirst(fresh, old);
  old.replaceWith(fresh);
  document.dispatchEvent(new Event("settled"));
};

// Going back to an address without its page loads it anew.
const stay = () => { if (!history.state?.swapped) history.replaceState({ ...history.state, swapped: true }, ""); };
const push = (address) => {
  if (address === location.href) return;
  stay();
  history.pushState({ swapped: true }, "", address);
};

const ask = (address, whole) => {
  const own = new AbortController();
  const headers = { "HX-Request": "true", "HX-Current-URL": location.href, accept: "text/html", ...(whole && { "HX-Boosted": "true" }) };
  return { address, own, answer: fetch(address, { headers, signal: own.signal }) };
};

// A mouse button that goes down on a link asks already: most people let it go a tenth of a second later.
let pressed = null;
const letGo = () => {
  pressed?.own.abort();
  pressed = null;
};
const taken = (address) => {
  const found = pressed?.address === address ? pressed : null;
  if (found) pressed = null;
  return found;
};

// Put what an address has in the place of a part of the page. Raises the status, 0 if nothing came; nothing is raised
// when the part is asked for something else meanwhile.
const swap = async (id, address, { whole = false } = {}) => {
  const { own, answer: coming } = (whole && taken(address)) || ask(address, whole);
  asking.get(id)?.abort();
  asking.set(id, own);
  const newest = () => asking.get(id) === own;
  const late = setTimeout(() => own.abort(), PATIENCE);
  const place = document.getElementById(id);
  document.dispatchEvent(new Event("swapping"));
  place.classList.add("swapping");
  const dim = setTimeout(() => place.classList.add("dimmed"), SOON);
  try {
    if (whole) stay(); // which takes as long as a frame, and is done while others work
    const answer = await coming;
    const signIn = answer.headers.get("hx-redirect");
    if (signIn) return location.assign(signIn);
    if (!answer.ok) throw answer.status;
    const text = answer.text();
    if (whole && newest()) push(answer.url);
    const page = new DOMParser().parseFromString(await text, "text/html");
    if (!newest() || !place.isConnected) return;
    const fresh = page.getElementById(id);
    if (!fresh && !whole) throw 0;
    if (!fresh) return location.assign(answer.url);
    if (whole) {
      document.title = page.title;
      hide();
    }
    put(fresh, place);
  } catch (error) {
    if (newest()) throw typeof error === "number" ? error : 0;
  } finally {
    clearTimeout(late);
    clearTimeout(dim);
    if (newest()) {
      asking.delete(id);
      place.classList.remove("swapping", "dimmed");
    }
  }
};

const fetchPage = (address) => {
  const swapped = document.querySelector("[data-swaps]").id;
  swap(swapped, address, { whole: true }).catch((status) => sayFailed(status, () => fetchPage(address)));
};

const modified = (event) => event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
const isSwapped = (element) => Boolean(element?.closest("[data-swaps], [data-whole]")?.matches("[data-swaps]"));

// The address that a click on a link has put in the place of the page; empty where it does something else.
const leadsTo = (event) => {
  const link = event.target.closest?.("a[href]");
  const path = link?.getAttribute("href"); // links of the map, too, which are none of HTML
  if (event.defaultPrevented || modified(event) || !isSwapped(link) || path.startsWith("#") || link.hasAttribute("download")) return "";
  const address = new URL(path, location);
  return address.origin === location.origin ? address.href : "";
};

document.addEventListener("click", (event) => {
  const address = leadsTo(event);
  if (!address) return;
  event.preventDefault();
  fetchPage(address);
});

document.addEventListener("pointerdown", (event) => {
  letGo();
  if (event.pointerType !== "mouse" || event.target.closest?.("a[data-part]")) return; // a tab, tabs.js
  const address = leadsTo(event);
  if (!address) return;
  pressed = ask(address, true);
  pressed.answer.catch(() => {}); // who clicks is told
});
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => setTimeout(letGo)); // the click comes before

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "get" || !isSwapped(form)) return;
  event.preventDefault();
  const address = new URL(form.getAttribute("action") ?? "", location);
  address.search = new URLSearchParams(new FormData(form));
  fetchPage(address.href);
});

document.addEventListener("heard", ({ detail }) => {
  for (const part of document.querySelectorAll(`[data-reload="${detail}"]`)) swap(part.id, location.href).catch(() => {}); // it is heard of again
});

addEventListener("popstate", ({ state }) => { if (state?.swapped) location.reload(); });

globalThis.swaps = { swap, push };
