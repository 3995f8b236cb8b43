// What was done with a page, told with each of its exits: clicks, keys, scrolls, forms, clicks of rage and dead ones.
// It never says what was typed.

/** Somebody is there for so long after a sign of life. */
const ACTIVE_MS = 10_000;
/** Three clicks within this time and distance are rage. */
const RAGE_MS = 1000;
const RAGE_PX = 30;
/** A click on what looks clickable is dead if nothing happens for so long. */
const DEAD_MS = 1000;
/** A page that goes so soon after a click on a link, or a form that was sent, was left by it. */
const AWAY_MS = 5000;
const CLICKABLE = "button,summary,[role=button],[role=tab],[onclick],a[href='#'],a:not([href])";
const COUNTED = { click: "clickCount", keydown: "keyCount", copy: "copyCount", submit: "formSubmitCount" };

export default (core) => {
  /** Since the page was last shown. */
  let counts = {};
  let fields = new Set();
  let shownAt = performance.now();
  let activeMs = 0;
  let activeFrom = 0;
  let activeUntil = 0;
  /** When something last happened that a click may have caused, and when a link or form began to lead away. */
  let reactedAt = 0;
  /** @type {Element | undefined} */
  let focused;
  let leadsAwayAt = -Infinity;
  let scrolledAt = -Infinity;
  /** @type {{ x: number, y: number, at: number }[]} */
  let clicks = [];

  const count = (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  /** An element in at most 64 characters, without its text. */
  const called = (element) => {
    const words = [...element.classList].map((word) => "." + word);
    return (element.localName + (element.id && "#" + element.id) + words.join("")).slice(0, 64);
  };

  function alive(at) {
    counts.timeToFirstInteraction ??= Math.round(at - shownAt);
    if (at > activeUntil) {
      activeMs += activeUntil - activeFrom;
      activeFrom = at;
    }
    activeUntil = at + ACTIVE_MS;
  }

  function clicked(event, target) {
    const at = event.timeStamp;
    clicks = [...clicks, { x: event.clientX, y: event.clientY, at }].filter(
      (other) => at - other.at < RAGE_MS && Math.hypot(other.x - event.clientX, other.y - event.clientY) < RAGE_PX,
    );
    if (clicks.length == 3) {
      count("rageClickCount");
      counts.rageClickTarget = called(target);
    }
    if (target.closest("a[href]")) leadsAwayAt = at;
    const clickable = target.closest(CLICKABLE);
    if (!clickable) return;
    const page = location.href.replace(/#$/, "");
    const focus = focused;
    const observer = new MutationObserver(() => {
      reactedAt = performance.now();
    });
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    setTimeout(() => {
      observer.disconnect();
      if (reactedAt >= at || location.href.replace(/#$/, "") != page || document.hidden || focused != focus) return;
      count("deadClickCount");
      counts.deadClickTarget = called(clickable);
    }, DEAD_MS);
  }

  function reset() {
    counts = {};
    fields = new Set();
    shownAt = performance.now();
    activeMs = activeFrom = activeUntil = 0;
  }

  function exit(event) {
    const now = performance.now();
    const cause = self.event?.type;
    const gone = now - leadsAwayAt < AWAY_MS ? "navigation" : "unload";
    event.interaction_count = (counts.clickCount ?? 0) + (counts.keyCount ?? 0);
    core.record("/engagement", {
      path: event.path,
      pageIndex: event.page_count,
      exitType: cause == "visibilitychange" ? "hidden" : cause == "pagehide" ? gone : "spa",
      timeOnPage: Math.round(now - shownAt),
      activeTime: Math.round(activeMs + Math.min(activeUntil, now) - activeFrom),
      maxScrollDepth: event.scroll_depth,
      interactionCount: event.interaction_count,
      formFieldCount: fields.size,
      ...counts,
    });
    reset();
  }

  function hear(event) {
    const { type, timeStamp: at, target } = event;
    if (event.name == "screen_view") reset();
    else if (event.name == "page_exit") exit(event);
    else if (type == "visibilitychange" && !document.hidden) shownAt = performance.now();
    else if (type == "unhandledrejection" || (type == "error" && event.message)) count("errorCount");
    else if (type == "scroll") {
      if (at - scrolledAt > 250) count("scrollCount");
      scrolledAt = at;
      reactedAt = performance.now(); // a scroll's own time is that of its frame, which may have begun before the click
      alive(at);
    } else if (type == "pointermove") alive(at);
    else if (COUNTED[type] && event.isTrusted) {
      count(COUNTED[type]);
      alive(at);
      if (type == "click" && target?.closest) clicked(event, target);
      if (type == "submit") leadsAwayAt = reactedAt = at;
    } else if (type == "focusin") focused = target;
    else if (type == "change") {
      reactedAt = at;
      if (target.form === undefined) return;
      counts.lastFormField = (target.name || target.id).slice(0, 64);
      fields.add(target);
    }
  }
  for (const type of ["keydown", "copy", "submit", "pointermove", "focusin", "change"]) {
    addEventListener(type, hear, { capture: true, passive: true });
  }
  return hear;
};
