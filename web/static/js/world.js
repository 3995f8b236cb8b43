// A country on the map leads where its row does. htmx knows no links within pictures, so one beside it is pressed; the
// tabs of the page may have changed since the map was drawn.
document.addEventListener("click", (event) => {
  const country = event.target.closest?.(".world-map a");
  if (!country || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const address = new URL(country.href.baseVal, location);
  const tab = new URL(location).searchParams.get("tab");
  if (tab) address.searchParams.set("tab", tab);
  else address.searchParams.delete("tab");
  const link = Object.assign(document.createElement("a"), { href: address.pathname + address.search.replaceAll("%2C", ","), hidden: true });
  country.closest(".world").append(link);
  htmx.process(link);
  event.preventDefault();
  link.click();
});
