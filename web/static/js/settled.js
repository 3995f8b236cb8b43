// What htmx swaps in settles piece by piece; when all of it stands, "settled" is said once.
let due = false;
document.addEventListener("htmx:afterSettle", () => {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    document.dispatchEvent(new Event("settled"));
  });
});
