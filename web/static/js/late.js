// Scripts that not every visit needs come when what they are for is pointed at, focused or opened. A click that is
// quicker than its script waits for it.
const LATE = [
  { on: ".filter", load: () => import("./combobox.js") },
  { on: ".range:has([data-calendar])", load: () => import("./calendar.js") },
  { on: "a[data-details]", load: () => import("./details.js") },
];

// Without its script a link is a link.
const come = (one) => (one.coming ??= one.load().catch(() => {}).finally(() => { one.there = true; }));

for (const name of ["pointerover", "focusin", "toggle"]) {
  document.addEventListener(name, ({ target }) => {
    for (const one of LATE) if (!one.coming && target.closest?.(one.on)) come(one);
  }, true);
}

// The page that a table was opened on is gone back to.
if (history.state?.details) come(LATE.find(({ on }) => on === "a[data-details]"));

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a");
  const wanted = link && LATE.find((one) => !one.there && link.matches(one.on));
  if (!wanted || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  await come(wanted);
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}, true);
