// Within [data-swaps] a link or a form that leads to the same page with other figures fetches it and swaps that part of
// the page; what is marked with data-hx-boost="false" leads to a whole page. It does what htmx does with data-hx-boost,
// which prepares each of some hundred links one by one.
const modified = (event) => event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
const isSwapped = (element) => Boolean(window.htmx && element?.closest("[data-swaps], [data-hx-boost=false]")?.matches("[data-swaps]"));

const fetchPage = (event, source, path) => {
  event.preventDefault();
  htmx.ajax("GET", path, { source, push: "true", headers: { "HX-Boosted": "true" } }).catch(() => {}); // toasts.js says it
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const path = link?.getAttribute("href");
  if (event.defaultPrevented || modified(event) || !isSwapped(link) || path.startsWith("#")) return;
  if (new URL(path, location).origin === location.origin && !link.hasAttribute("download")) fetchPage(event, link, path);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!event.defaultPrevented && form.method === "get" && isSwapped(form)) fetchPage(event, form, form.getAttribute("action"));
});
