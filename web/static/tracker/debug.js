(() => {
  // tracker/settings.js
  var tag = document.currentScript || document.querySelector("script[data-client-id]") || new Image();
  var [source, query] = tag.src.split("?");
  var home = source.replace(/\/[^/]*$/, "");
  var settings = { apiUrl: home, ...self.databuddyConfig };
  for (const [name, text] of [...Object.entries(tag.dataset), ...new URLSearchParams(query)]) {
    settings[name] = text != "false" && (text || true);
  }
  if (true) settings.debug = true;

  // tracker/silence.js
  function silent() {
    return settings.disabled || navigator.globalPrivacyControl || navigator.doNotTrack > 0 || navigator.webdriver || // The last case is a page without a host: a file, or a document that a script wrote.
    /(^|\.)local(host)?\.?$|^((127|0)[.\d]+)?$/.test(location.hostname) || self.databuddyOptedOut || localStorage.databuddy_opt_out;
  }
  function optOut() {
    try {
      self.databuddyOptedOut = self.databuddyDisabled = true;
      localStorage.databuddy_opt_out = localStorage.databuddy_disabled = true;
    } catch {
    }
  }

  // tracker/queue.js
  var held;
  var waiting = [];
  var tries = 0;
  function later(...entry) {
    held ||= load() || [];
    held.push(entry);
  }
  function load() {
    import((tries++ % 2 ? settings.apiUrl : home) + "/parts.js").then(
      (parts) => parts.default(held),
      () => setTimeout(load, 5e3)
    );
  }
  async function flush(leaving) {
    const events = waiting;
    const body = `[${events.map((event) => JSON.stringify(event))}]`;
    const url = settings.apiUrl + "/batch?client_id=" + settings.clientId;
    waiting = [];
    try {
      if (!events[0] || silent() || leaving && navigator.sendBeacon(url, body)) return;
    } catch {
    }
    try {
      leaving = await fetch(url, { keepalive: 1, body, method: "POST" });
    } catch {
    }
    leaving?.ok || later(events, leaving?.status);
  }
  function record(fields) {
    try {
      fields.eventId = fields.name + Math.random();
      fields.timestamp = Date.now();
      const text = JSON.stringify(fields);
      fields.properties = JSON.parse(text).properties;
      if (held) held.push(fields);
      else {
        waiting[0] || setTimeout(flush, 5e3);
        if (waiting.push(fields) > 9 || text[1e3]) flush();
      }
    } catch {
    }
  }

  // tracker/main.js
  var view;
  var views = 0;
  var here = page(location.href);
  var referrer = page(document.referrer);
  var shownAt;
  var bottom;
  var timer;
  function page(address) {
    return address.replace(settings.trackHashChanges ? /\?[^#]*/g : /[?#].*/, "");
  }
  function begin(properties) {
    view = {
      // Read when the view is sent, and with each exit.
      get title() {
        return document.title;
      },
      viewport_size: innerWidth + "x" + innerHeight,
      path: here,
      properties,
      name: "screen_view",
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      screen_resolution: screen.width + "x" + screen.height,
      page_count: ++views,
      language: navigator.language,
      referrer
    };
    for (const [name, text] of new URLSearchParams(location.search)) {
      if (/^utm_|(cl.?|fat_)id$|^(ref|source)$/.test(name)) view[name] = text;
    }
    shownAt = timer = 0;
    bottom = innerHeight;
    shown();
    record(view);
    setTimeout(flush, views > 1 && 500);
  }
  function shown() {
    if (!document.hidden) shownAt += performance.now();
  }
  function exit() {
    if (shownAt > 0) {
      const ms = performance.now() - shownAt;
      shownAt = -ms % 1e3;
      record({
        ...view,
        time_on_page: ms / 1e3 | 0,
        scroll_depth: bottom / document.documentElement.scrollHeight * 100,
        name: "page_exit"
      });
    }
  }
  function navigated() {
    const now = page(location.href);
    if (now != here) {
      exit();
      referrer = here;
      here = now;
      timer ||= setTimeout(begin);
    }
  }
  if (!self.databuddy) {
    const api = self.databuddy = self.analyticsBox = new Proxy(
      {
        then: 0,
        options: settings,
        flush,
        screenView(properties) {
          exit();
          begin(properties);
        },
        // `options` has other fields of the event, such as interactive: false.
        track(name, properties, options) {
          record({ ...options, name, path: here, properties });
        }
      },
      { get: (known, name) => known[name] ?? later.bind(known, name) }
    );
    self.db ||= api;
    self.databuddyOptOut = optOut;
    self.databuddyOptIn = later;
    for (const [type, reaction] of Object.entries({
      auxclick() {
      },
      visibilitychange() {
        exit();
        flush(1);
        shown();
      },
      pageshow(event) {
        if (event.persisted) begin();
      },
      pagehide() {
        exit();
        flush(1);
      },
      click() {
      },
      error() {
      },
      unhandledrejection() {
      },
      databuddy: navigated,
      // sent by history.js
      scroll() {
        bottom = Math.max(bottom, scrollY + innerHeight);
      }
    })) {
      addEventListener(
        type,
        (event) => {
          reaction(event);
          held?.push(event);
        },
        1
      );
    }
    if (/[^a-zCHIU,]|fi|kI|ug/.test(Object.keys(settings)) || document.prerendering) later(0);
    begin();
    self.navigation?.currentEntry ? navigation.addEventListener("currententrychange", navigated) : later(0);
  }
})();
