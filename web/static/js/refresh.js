// A page that follows what happens fetches itself anew and takes over what has changed, panel by panel. What is being
// read stays: a panel under a moving pointer, with the keyboard in it, or with a selection is taken over afterwards.
const READING = 8_000; // ms since the last movement or key
const SPARED = 20; // times as long as fetching takes, so that a page that is hard to make is not made all the time
let place = null;
let wanted = false;
let last = -Infinity; // the first news are fetched at once
let began = 0;
let took = 0;
let touched = performance.now(); // nobody knows what was read before this came
let ticking = 0;
let asking = null;
let settling = false;
const taken = new Map(); // what a panel was when it was last taken over
const held = new Map(); // what waits because its panel is being read

for (const name of ["pointermove", "keydown", "pointerdown", "wheel"]) {
  addEventListener(name, () => { touched = performance.now(); }, { passive: true, capture: true });
}

const panels = (page) => [...page.querySelectorAll("#page section.panel[id]")];

const isRead = (panel) => {
  const selection = getSelection();
  if (!selection.isCollapsed && panel.contains(selection.anchorNode)) return true;
  if (panel.querySelector("dialog[open], :popover-open, [data-closes][open]")) return true;
  if (performance.now() - touched > READING) return false;
  return panel.matches(":hover") || panel.contains(document.activeElement);
};

// Said once, however many panels are taken over.
const settle = () => {
  if (settling) return;
  settling = true;
  queueMicrotask(() => {
    settling = false;
    document.dispatchEvent(new Event("settled"));
  });
};

const put = (panel, fresh) => {
  const opened = [...panel.querySelectorAll("details")].map((one) => one.open);
  const scrolled = [...panel.querySelectorAll("*")].filter((one) => one.scrollTop || one.scrollLeft)
    .map((one) => [one.className, one.scrollTop, one.scrollLeft]);
  taken.set(fresh.id, fresh.outerHTML);
  fresh.classList.add(...[...panel.classList].filter((name) => name.startsWith("list-kept"))); // it stays as high
  [...fresh.querySelectorAll("details")].forEach((one, index) => { one.open = opened[index] ?? false; });
  const id = panel.contains(document.activeElement) ? document.activeElement.id : "";
  panel.replaceWith(fresh);
  settle();
  const now = document.getElementById(fresh.id);
  for (const [name, top, left] of scrolled) {
    const same = name && [...now.querySelectorAll("*")].find((one) => one.className === name);
    if (same) same.scrollTo(left, top);
  }
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
};

const take = (fresh) => {
  const panel = document.getElementById(fresh.id);
  if (!panel || taken.get(fresh.id) === fresh.outerHTML || fresh.textContent.includes(place.dataset.failed)) return;
  if (isRead(panel)) held.set(fresh.id, fresh);
  else put(panel, fresh);
};

// Panels that are new, such as that of the first error, come with those beside them.
const takeAll = (page) => {
  held.clear();
  const now = document.querySelector("#page .lists");
  const fresh = page.querySelector("#page .lists");
  const names = (lists) => [...lists?.children ?? []].map((one) => one.id).join();
  if (now && fresh && names(now) !== names(fresh) && !isRead(now)) {
    now.replaceWith(fresh);
    settle();
  }
  panels(page).forEach(take);
};

const fetchAnew = async () => {
  const asked = performance.now();
  const address = location.href;
  asking = new AbortController();
  wanted = false;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true", accept: "text/html" }, signal: asking.signal, redirect: "manual" });
    const text = await answer.text();
    if (answer.ok && place && location.href === address && !busy()) takeAll(new DOMParser().parseFromString(text, "text/html"));
  } catch {
    // the stream says that the box cannot be reached
  } finally {
    asking = null;
    last = performance.now();
    took = last - asked;
  }
};

const busy = () => document.querySelector("#page [aria-busy=true], #page .swapping, #page.swapping") !== null;

const look = () => {
  if (!place || document.hidden) return;
  for (const [id, fresh] of [...held]) { // a copy: what is still being read comes back in
    held.delete(id);
    take(fresh);
  }
  const since = performance.now() - last;
  const [soon, anyway] = [place.dataset.refresh * 1000, place.dataset.anyway * 1000];
  const due = (wanted && soon && since >= Math.max(soon, SPARED * took)) || (anyway && performance.now() - Math.max(last, began) >= anyway);
  if (due && !asking && !busy()) fetchAnew();
};

// There is something new: have the page fetched, but not too often.
export const news = () => { wanted = true; };

// Follow for this element, whose data say how often; null stops it.
export const follow = (live) => {
  place = live;
  asking?.abort();
  held.clear();
  taken.clear();
  clearInterval(ticking);
  began = performance.now();
  if (place) ticking = setInterval(look, 1_000);
};

// What waits is of the page as it was asked for before.
document.addEventListener("swapping", () => {
  asking?.abort();
  if (held.size) wanted = true;
  held.clear();
});
