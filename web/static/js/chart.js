// The time series of an overview, drawn by uPlot from data-chart as chart_look.js says. Hover, touch and arrow keys move
// one crosshair; for screen readers the chart is a slider whose value is the bucket in words.
const { columns, options } = globalThis.chartLook;

const words = (data, beside, at) => {
  const part = data.partial.indexOf(at);
  return {
    label: `${data.labels[at]}${part < 0 ? "" : ` (${data.partialNotes[part]})`}`,
    value: [data.texts[at] || "–", data.notes?.[at]].filter(Boolean).join(" · "),
    second: data.second ? `${beside}: ${data.secondTexts[at] || "–"}` : "",
    before: data.beforeTexts?.[at] ? `${data.beforeLabels[at]}: ${data.beforeTexts[at]}` : "",
  };
};

const tip = (place) => {
  const box = document.createElement("div");
  box.className = "chart-tip";
  box.hidden = true;
  box.setAttribute("aria-hidden", "true");
  const lines = Object.fromEntries(["label", "value", "second", "before"].map((name) => [name, document.createElement(name === "value" ? "strong" : "span")]));
  for (const [name, line] of Object.entries(lines)) line.className = `tip-${name}`;
  box.append(...Object.values(lines));
  place.append(box);
  return { box, lines };
};

const draw = (place) => {
  const data = JSON.parse(place.dataset.chart);
  const { box, lines } = tip(place);
  const said = (at) => words(data, place.dataset.beside, at);
  const spoken = (at) => Object.values(said(at)).filter(Boolean).join(", ");
  const show = (at, left) => {
    box.hidden = at == null;
    if (at == null) return;
    for (const [name, text] of Object.entries(said(at))) {
      lines[name].textContent = text;
      lines[name].hidden = !text;
    }
    const beside = left + 76;
    box.style.transform = `translateX(${beside + box.offsetWidth > place.clientWidth ? left + 44 - box.offsetWidth : beside}px)`;
    place.setAttribute("aria-valuenow", at);
    place.setAttribute("aria-valuetext", spoken(at));
  };
  const chart = new uPlot(options(place, data, (u) => show(u.cursor.left >= 0 ? u.cursor.idx : null, u.cursor.left)), columns(data), place);
  place.chart = chart;
  const last = data.labels.length - 1;
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": place.dataset.label, "aria-description": place.dataset.help, "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": last, "aria-valuetext": spoken(last) })) {
    place.setAttribute(name, value);
  }
  const move = (at) => chart.setCursor({ left: chart.valToPos(at, "x"), top: 0 });
  place.addEventListener("keydown", (event) => {
    const now = chart.cursor.left >= 0 ? chart.cursor.idx : last + 1;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    move(Math.min(last, Math.max(0, to)));
    event.preventDefault();
  });
  place.addEventListener("blur", () => chart.setCursor({ left: -10, top: -10 }));
};

const LATER = ".later [data-chart]"; // out of sight (swaps.js)
const drawAll = (again = false, places = document.querySelectorAll("[data-chart]")) => {
  for (const place of places) {
    if (place.chart && !again) continue;
    place.chart?.destroy();
    place.replaceChildren();
    draw(place);
  }
};

drawAll();
document.addEventListener("settled", () => {
  drawAll(false, document.querySelectorAll(`[data-chart]:not(${LATER})`));
  if (!document.querySelector(LATER)) return;
  requestAnimationFrame(() => setTimeout(() => {
    drawAll();
    document.dispatchEvent(new Event("charted"));
  }));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll(true));
new MutationObserver(() => drawAll(true)).observe(document.documentElement, { attributeFilter: ["data-theme"] });

let width = 0; // it is not asked for before the page is drawn, which would have to wait for it
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  for (const place of document.querySelectorAll("[data-chart]")) place.chart?.setSize({ width: place.clientWidth - 20, height: place.clientHeight - 8 });
});
