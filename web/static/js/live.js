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
