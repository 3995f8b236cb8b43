// What keeps itself current: no requests while the page is hidden, and honest words when the box cannot be reached.
const live = (event) => event.target.closest?.("[data-live]");

const mark = (place, lost) => {
  place.classList.toggle("lost", lost);
  place.querySelector(".live-lost").hidden = !lost;
};

document.addEventListener("htmx:beforeRequest", (event) => { if (live(event) && document.hidden) event.preventDefault(); });
document.addEventListener("htmx:afterRequest", (event) => {
  const place = live(event);
  if (place) mark(place, !event.detail.successful);
});

// A part that cannot be fetched says so instead of pretending to load.
document.addEventListener("htmx:afterRequest", (event) => {
  const part = event.target.closest?.("[aria-busy]");
  if (!part || event.detail.successful) return;
  const words = document.createElement("p");
  words.className = "panel-empty";
  words.textContent = part.dataset.failed;
  part.removeAttribute("aria-busy");
  part.replaceChildren(words);
});
