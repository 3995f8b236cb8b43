// What axe is asked to look at: what is built, or has colours, as nothing was that it has looked at before.
window.looking = (() => {
  const INTERACTIVE = "a[href], button, input, select, textarea, summary, label, [tabindex], [role=button], [role=option]";
  const LANDMARKS = "header, nav, main, aside, footer, form, section, [role]";
  const NAMED = `${INTERACTIVE}, img, svg, iframe, table, th, legend, caption, figure, h1, h2, h3, h4, h5, h6, [role]`;
  const SVG_PARTS = "svg :not([role], [tabindex], [aria-label], a, text, title)";
  const KINDS = [ // how an attribute is told, by its name; others do not matter
    [/^(for|list|headers|form|popovertarget|aria-(labelledby|describedby|controls|owns|activedescendant|details|errormessage|flowto))$/,
      value => value.trim().split(/\s+/).map(pointsAt).join()],
    [/^(alt|title|placeholder|label|aria-(label|roledescription|valuetext|description|placeholder))$/,
      value => (value.trim() ? "said" : "blank")],
    [/^href$/, value => (!value.startsWith("#") ? "" : value === "#" ? "#" : pointsAt(value.slice(1)))],
    [/^(role|type|tabindex|lang|scope|autocomplete|target|contenteditable|accesskey|dir|aria-.*)$/,
      value => value.replace(/\d{2,}|\d*\.\d+/g, "9").slice(0, 40)],
    [/^(hidden|disabled|readonly|required|multiple|open|controls|autoplay|ismap|usemap|inert|colspan|rowspan)$/, () => ""],
  ];
  const tells = new Map(); // by the name of the attribute

  const shows = element => element.checkVisibility({ visibilityProperty: true });
  const hasText = element => {
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) return true;
    }
    return false;
  };
  const says = element => ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName) || hasText(element);
  const kind = element => (element ? element.localName + (element.getAttribute("role") ?? "") : "");
  const all = () => [...document.body.querySelectorAll(`:not(${SVG_PARTS})`)].filter(shows);

  // Whether an element or something in it is read out.
  const heard = element => {
    if (hasText(element)) return true;
    for (const one of element.children) {
      if (one.ariaHidden === "true" || !shows(one)) continue;
      if (one.ariaLabel?.trim() || one.alt?.trim() || heard(one)) return true;
    }
    return false;
  };
  const pointsAt = id => {
    const found = document.getElementById(id);
    return found ? kind(found) + (heard(found) ? "+" : "-") : "lost";
  };
  const attributes = element => {
    const told = [];
    for (const { name, value } of element.attributes) {
      if (!tells.has(name)) tells.set(name, KINDS.find(([names]) => names.test(name))?.[1]);
      const tell = tells.get(name);
      if (tell) told.push(`${name}=${tell(value)}`);
    }
    return told.sort().join();
  };

  const scrolls = element => {
    const across = element.scrollWidth - element.clientWidth, down = element.scrollHeight - element.clientHeight;
    if (across <= 0 && down <= 0) return "";
    const { overflowX, overflowY } = getComputedStyle(element);
    const any = (across > 0 && /auto|scroll/.test(overflowX)) || (down > 0 && /auto|scroll/.test(overflowY));
    return any ? `scrolls ${Boolean(element.querySelector(INTERACTIVE))}` : "";
  };
  // A link in a text has to look unlike the text.
  const inText = element => {
    if (element.localName !== "a" || !hasText(element.parentElement)) return "";
    const [own, around] = [element, element.parentElement].map(one => getComputedStyle(one));
    return [own.color, around.color, own.textDecorationLine, own.fontWeight, around.fontWeight].join();
  };
  const inTable = element => {
    const table = /^t[dhr]$|table/.test(element.localName) && element.closest("table");
    return table ? [table.querySelector("th"), element.closest("tr")?.querySelector("th"), table.caption].map(Boolean).join() : "";
  };
  const isNamed = element =>
    element.matches(NAMED) ? [heard(element), [...(element.labels ?? [])].map(heard).join()].join("/") : "";
  const childKinds = element => {
    const found = new Set();
    for (const one of element.children) found.add(kind(one));
    return [...found].sort().join();
  };

  // What is around an element, told once for all that are in it.
  let arounds = new Map();
  const around = element => {
    if (!element || element === document.documentElement) return "";
    if (!arounds.has(element)) {
      arounds.set(element, [
        kind(element), kind(element.parentElement), kind(element.closest(LANDMARKS)), kind(element.closest(INTERACTIVE)),
        Boolean(element.closest("[aria-hidden=true]")),
      ].join());
    }
    return arounds.get(element);
  };
  // How an element is built, as far as a rule may look: itself, around it, and what is directly in it.
  const structure = element =>
    [
      kind(element), attributes(element), around(element.parentElement), childKinds(element), hasText(element),
      isNamed(element), scrolls(element), inText(element), inTable(element),
    ].join("|");

  const repeated = list => list.length - new Set(list).size;
  // How the page is built as a whole: its head, steps between headings, landmarks, and what is outside of them.
  const outline = shown => {
    const levels = shown.filter(one => /^h[1-6]$/.test(one.localName)).map(one => one.localName);
    const landmarks = shown.filter(one => one.matches(LANDMARKS));
    const places = landmarks.map(one => `${kind(one)} in ${kind(one.parentElement.closest(LANDMARKS))}`);
    return new Set([
      `lang ${document.documentElement.lang}`, `title ${Boolean(document.title.trim())}`,
      ...[...document.querySelectorAll("meta[name=viewport], meta[http-equiv]")].map(one => one.outerHTML),
      ...levels.map((level, place) => `${levels[place - 1] ?? ""}>${level}`),
      `h1 ${levels.filter(level => level === "h1").length}`,
      `main ${places.filter(place => place.startsWith("main")).length}`,
      ...places,
      ...places.filter((place, at) => places.indexOf(place) !== at).map(place => `${place} again`),
      `landmarks twice ${repeated(landmarks.map((one, at) => `${places[at]} ${one.ariaLabel} ${one.getAttribute("aria-labelledby")}`))}`,
      `ids twice ${repeated([...document.querySelectorAll("[id]")].map(one => one.id))}`,
      `accesskeys twice ${repeated([...document.querySelectorAll("[accesskey]")].map(one => one.accessKey))}`,
      ...shown.filter(one => !one.closest(LANDMARKS) && hasText(one)).map(one => `${kind(one)} outside`),
    ]);
  };

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
  const look = (element, grounds) => {
    const style = getComputedStyle(element);
    return [ground(element, grounds), style.color, style.fontSize, style.fontWeight, style.textShadow].join("|");
  };

  // A short name of a text (FNV-1a with 64 bits).
  const hash = text => {
    let high = 0xcbf29ce4, low = 0x84222325;
    for (let place = 0; place < text.length; place++) {
      low ^= text.charCodeAt(place);
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + (low << 8) + Math.floor(product / 2 ** 32)) >>> 0;
      low = product >>> 0;
    }
    return high.toString(36) + low.toString(36);
  };

  let chosen = new Map();
  const choose = (elements, what, seen) => {
    const fresh = [];
    for (const element of elements) {
      const found = hash(what(element));
      if (seen.has(found)) continue;
      seen.add(found);
      fresh.push(found);
      chosen.set(found, element);
    }
    return fresh;
  };
  const chooseLooks = (shown, seen) => {
    const grounds = new Map(), scheme = matchMedia("(prefers-color-scheme: dark)").matches;
    return choose(shown.filter(says), element => scheme + look(element, grounds), seen);
  };
  const seen = new Set();
  return {
    // What was seen on other pages.
    know(all) {
      for (const one of all.split(" ")) seen.add(one);
    },
    // Choose an element of each structure and each look that was not seen; what of these, and of the page as a whole, is new.
    choose() {
      const shown = all();
      chosen = new Map();
      arounds = new Map();
      const whole = choose([...outline(shown)], one => one, seen);
      chosen = new Map();
      const structures = choose([document.body, ...shown], structure, seen);
      return { outline: whole, structures, looks: chooseLooks(shown, seen) };
    },
    // The same of looks alone.
    chooseLooks() {
      chosen = new Map();
      return chooseLooks(all(), seen);
    },
    // The chosen elements alone, without what is in them.
    at() {
      const include = [...new Set(chosen.values())], ones = new Set(include);
      const exclude = include.flatMap(one => [...one.children].filter(child => !ones.has(child)));
      return exclude.length ? { include, exclude } : { include };
    },
  };
})();
