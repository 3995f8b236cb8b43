// What axe is asked to look at again: text whose colours were not seen elsewhere, and what only phones show.
window.looking = (() => {
  const shows = element => element.checkVisibility({ visibilityProperty: true });
  const says = element =>
    ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName) ||
    [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());

  // What is painted under the text of an element, from the page up to itself.
  const ground = (element, known) => {
    if (!element) return "";
    if (!known.has(element)) {
      const style = getComputedStyle(element);
      const own = [
        style.backgroundColor === "rgba(0, 0, 0, 0)" ? "" : style.backgroundColor,
        style.backgroundImage === "none" ? "" : style.backgroundImage.slice(0, 200),
        style.opacity === "1" ? "" : style.opacity,
        style.filter === "none" ? "" : style.filter,
        ["absolute", "fixed", "sticky"].includes(style.position) ? `${style.position} ${style.zIndex}` : "",
      ].filter(Boolean);
      known.set(element, [ground(element.parentElement, known), ...own].join("/"));
    }
    return known.get(element);
  };

  let chosen = [];
  let onADesk = new Set();
  return {
    // Choose an element of each look that is not among `known`, and tell these looks.
    choose(known) {
      const seen = new Set(known), grounds = new Map(), found = new Map();
      for (const element of document.body.querySelectorAll("*")) {
        if (!says(element) || !shows(element)) continue;
        const style = getComputedStyle(element);
        const text = [style.color, style.fontSize, style.fontWeight, style.textShadow];
        const look = [ground(element, grounds), ...text].join("|");
        if (!seen.has(look) && !found.has(look)) found.set(look, element);
      }
      chosen = [...found.values()];
      return [...found.keys()];
    },
    leaveADesk() {
      onADesk = new Set([...document.body.querySelectorAll("*")].filter(shows));
    },
    // Choose what shows here and did not on a desk; how many that are.
    chooseNew() {
      const fresh = new Set([...document.body.querySelectorAll("*")].filter(one => shows(one) && !onADesk.has(one)));
      chosen = [...fresh].filter(one => !fresh.has(one.parentElement));
      return chosen.length;
    },
    at: () => ({ include: chosen }),
  };
})();
