(() => {
  // tracker/settings.js
  var tag = document.currentScript;
  var address = new URL(tag.src);
  var settings = { ...self.databuddyConfig };
  for (const [name, text] of [...Object.entries(tag.dataset), ...address.searchParams]) {
    settings[name] = text != "false" && (text || true);
  }
  if (true) settings.debug = true;

  // tracker/silence.js
  function silent() {
    try {
      return settings.disabled || navigator.globalPrivacyControl || navigator.doNotTrack > 0 || navigator.webdriver || // The last case is a page without a host: a file, or a document that a script wrote.
      /local(host)?$|^(127|0)\.|^$/.test(location.hostname) || self.databuddyOptedOut || localStorage.databuddy_opt_out;
    } catch {
    }
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
  function later(...entry) {
    held ||= load() || [];
    held.push(entry);
  }
  function load() {
    import(address.origin + "/parts.js").then(
      (parts) => parts.default(held),
      () => setTimeout(load, 5e3)
    );
  }
  function flush(leaving) {
    if (document.prerendering || !waiting[0]) return;
    const url = (settings.apiUrl || address.origin) + "/batch?client_id=" + settings.clientId;
    const texts = waiting;
    const body = `[${texts}]`;
    waiting = [];
    if (!silent() && !(leaving && navigator.sendBeacon?.(url, body))) {
      fetch(url, { method: "POST", body, keepalive: true }).then(
        (response) => response.ok || later(texts, response.status),
        () => later(texts)
      );
    }
  }
  function record(fields) {
    try {
      const text = JSON.stringify({ eventId: fields.name + Math.random(), timestamp: Date.now(), ...fields });
      if (held) held.push(text);
      else {
        waiting[0] || setTimeout(flush, 5e3);
        if (waiting.push(text) > 9 || text[1e3]) flush();
      }
    } catch {
    }
  }

  // tracker/main.js
  var view;
  var views = 0;
  var here = path();
  var referrer = document.referrer.replace(/[?#].*/, "") || "direct";
  var shownAt;
  var bottom;
  var timer;
  function path() {
    return location.href.replace(settings.trackHashChanges ? /\?[^#]*/g : /[?#].*/, "");
  }
  function begin(properties) {
    view = {
      name: "screen_view",
      path: here,
      properties,
      page_count: ++views,
      referrer,
      language: navigator.language,
      screen_resolution: screen.width + "x" + screen.height,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      viewport_size: innerWidth + "x" + innerHeight,
      title: document.title
    };
    for (const [name, text] of new URL(location).searchParams) {
      if (/^utm_|(cl.?|fat_)id$|^(ref|source)$/.test(name)) view[name] = text;
    }
    shownAt = 0;
    bottom = innerHeight;
    shown();
    record(view);
    flush();
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
        name: "page_exit",
        eventId: "exit_" + Math.random(),
        time_on_page: ms / 1e3 | 0,
        scroll_depth: Math.min(bottom / document.documentElement.scrollHeight * 100 | 0, 100)
      });
    }
  }
  function navigated() {
    const now = path();
    if (now != here) {
      exit();
      referrer = here;
      here = now;
      clearTimeout(timer);
      timer = setTimeout(begin);
    }
  }
  if (!self.databuddy) {
    const api = self.databuddy = new Proxy(
      {
        flush,
        then: 0,
        options: settings,
        track(name, properties) {
          record({ name, path: here, properties });
        },
        screenView(properties) {
          exit();
          begin(properties);
        }
      },
      { get: (known, name) => known[name] ?? later.bind(known, name) }
    );
    self.db ||= api;
    self.databuddyOptOut = optOut;
    self.databuddyOptIn = later;
    for (const method of ["pushState", "replaceState"]) {
      const original = history[method].bind(history);
      history[method] = (...change) => {
        original(...change);
        navigated();
      };
    }
    for (const [type, reaction] of Object.entries({
      error() {
      },
      unhandledrejection() {
      },
      click(event) {
        for (const link of event.composedPath()) {
          if (settings.trackOutgoingLinks && /^http/.test(link.href) && link.host != location.host) {
            record({ type: "outgoing_link", path: here, href: link.href, text: link.text });
          }
        }
      },
      visibilitychange() {
        exit();
        flush(true);
        shown();
      },
      pagehide() {
        exit();
        flush(true);
      },
      popstate: navigated,
      // fragments too
      scroll() {
        bottom = Math.max(bottom, scrollY + innerHeight);
      },
      pageshow(event) {
        if (event.persisted) begin();
      }
    })) {
      addEventListener(
        type,
        (event) => {
          reaction(event);
          held?.push(event);
        },
        true
      );
    }
    if (/[ABDEPRSTV]|fi|kI|Lo|ug/.test(Object.keys(settings))) later(0);
    begin();
  }
})();
