// Addresses that scripts change, in browsers that do not say so themselves (the Navigation API).

/** Tells the core of every change from now on. */
export function watch() {
  const changed = () => dispatchEvent(new Event("databuddy"));
  for (const method of ["pushState", "replaceState"]) {
    const original = history[method].bind(history);
    history[method] = (...change) => {
      original(...change);
      changed();
    };
  }
  addEventListener("popstate", changed, true); // fragments too
  changed();
}
