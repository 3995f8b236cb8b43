// What was asked for and did not come is said, with a way to try again: a toast at the foot of the page. A click or a
// form while the browser is offline is not sent at all, so that nothing on the page is lost.
const place = document.getElementById("toast");
const words = place.dataset;

export const hide = () => { place.hidden = true; };

export const say = (text, { label = words.retry, act, href } = {}) => {
  place.querySelector(".toast-text").textContent = text;
  const doing = place.querySelector(".toast-do");
  const link = place.querySelector(".toast-link");
  doing.hidden = !act;
  doing.textContent = label;
  doing.onclick = () => { hide(); act(); };
  link.hidden = !href;
  link.textContent = label;
  link.href = href ?? "";
  place.hidden = false;
};

// The page stays as it is; signing in leads back to it, filters and all.
export const saySignedOut = () => {
  const here = location.pathname + location.search;
  say(words.signedOut, { label: words.signIn, href: `/sign-in?next=${encodeURIComponent(here)}` });
};

// How a failure reads: the status is 0 where there was no answer at all.
export const sayFailed = (status, act) => {
  if (!status) say(navigator.onLine ? words.failed : words.offline, { act });
  else say(status === 429 ? words.busy : words.refused.replace("{status}", status), { act });
};

const again = (element, submitter) => () => {
  if (!element.isConnected) location.reload();
  else if (element.matches("form")) element.requestSubmit(submitter?.isConnected ? submitter : undefined);
  else element.click();
};

// A box on this machine can be reached without any network: a browser that says it is offline is not believed at once,
// nor is a box that was reached a moment ago.
const PATIENCE = 3_000;
let reached = false; // for the click or the form that asked
const stop = async (event, act) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    await fetch("/health", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  } catch {
    say(words.offline, { act });
    return;
  }
  reached = true;
  act();
  reached = false;
};
const offline = () => !navigator.onLine && !reached;

// What was said of a box that could not be reached is over.
export const sayReached = () => {
  if ([words.offline, words.signedOut].includes(place.querySelector(".toast-text").textContent)) hide();
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!offline() || !link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || link.getAttribute("href").startsWith("#") || link.target || link.download) return;
  stop(event, again(link));
}, true);

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!offline() || form.method === "dialog") return;
  stop(event, again(form, event.submitter));
}, true);

place.querySelector(".toast-close").addEventListener("click", hide);
addEventListener("online", sayReached);

// Links and forms that htmx sends. What a page fetches by itself says so in its own place.
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, ({ detail: { elt, xhr } }) => {
    sayFailed(name === "htmx:responseError" ? xhr.status : 0, again(elt));
  });
}
document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.successful && detail.boosted) hide(); });
