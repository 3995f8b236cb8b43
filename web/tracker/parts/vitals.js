// Web vitals of the page's load: FCP, LCP, TTFB, and when it is first left CLS and INP; FPS of its first second.

const ACTIVE = () => performance.getEntriesByType("navigation")[0]?.activationStart ?? 0;

export default (core) => {
  let path;
  let hiddenAt = document.hidden ? 0 : Infinity;
  for (const entry of performance.getEntriesByType("visibility-state")) {
    if (entry.name == "hidden") hiddenAt = Math.min(hiddenAt, entry.startTime);
  }
  const report = (metricName, value) => {
    core.record("/vitals", {
      path,
      metricName,
      metricValue: Math.round(value * 1e4) / 1e4,
      release: core.settings.release,
    });
  };
  const observe = (type, see, options) => {
    try {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(see));
      observer.observe({ type, buffered: true, ...options });
      return () => observer.takeRecords().forEach(see);
    } catch {
      return () => {}; // This browser does not measure it.
    }
  };
  const since = (time) => Math.max(time - ACTIVE(), 0);

  let lcp;
  const paints = observe("largest-contentful-paint", (entry) => {
    if (entry.startTime < hiddenAt) lcp = entry.startTime;
  });

  let cls = 0;
  let shift = { value: 0, first: 0, last: 0 };
  const shifts = observe("layout-shift", (entry) => {
    if (entry.hadRecentInput) return;
    const { startTime: now, value } = entry;
    // A session window: less than 1 s between shifts, 5 s in all.
    if (shift.value && now - shift.last < 1000 && now - shift.first < 5000) {
      shift.value += value;
      shift.last = now;
    } else shift = { value, first: now, last: now };
    cls = Math.max(cls, shift.value);
  });

  /** Longest duration of each interaction. @type {Map<number, number>} */
  const interactions = new Map();
  const slow = (entry) => {
    if (entry.interactionId || entry.entryType == "first-input") {
      const id = entry.interactionId;
      interactions.set(id, Math.max(interactions.get(id) ?? 0, entry.duration));
    }
  };
  const events = [observe("event", slow, { durationThreshold: 40 }), observe("first-input", slow)];

  function first() {
    observe("paint", (entry) => {
      if (entry.name == "first-contentful-paint" && entry.startTime < hiddenAt) report("FCP", since(entry.startTime));
    });
    const navigation = performance.getEntriesByType("navigation")[0];
    if (navigation?.responseStart > 0) report("TTFB", since(navigation.responseStart));
    let frames = -1;
    let start;
    const frame = (now) => {
      start ??= now;
      frames++;
      if (document.hidden) return;
      if (now - start < 1000) requestAnimationFrame(frame);
      else report("FPS", (frames * 1000) / (now - start));
    };
    requestAnimationFrame(frame);
  }

  let left;
  function last() {
    left = true;
    for (const take of [paints, shifts, ...events]) take();
    if (lcp !== undefined) {
      report("LCP", since(lcp));
      report("CLS", cls);
    }
    const durations = [...interactions.values()].sort((one, other) => other - one);
    // The 98th percentile: one of the longest is left out for each 50 interactions.
    const count = performance.interactionCount ?? durations.length;
    if (durations[0]) report("INP", durations[Math.min(durations.length - 1, Math.floor(count / 50))]);
  }

  return (event) => {
    if (event.name == "screen_view" && !path) {
      path = event.path;
      first();
    }
    if (path && !left && (event.type == "pagehide" || (event.type == "visibilitychange" && document.hidden))) last();
  };
};
