// The time series of an overview, drawn by uPlot from data-chart. Hover, touch and arrow keys move one crosshair;
// for screen readers the chart is a slider whose value is the bucket in words.
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
const COUNTS = [1, 2, 5].flatMap((n) => Array.from({ length: 12 }, (_, i) => n * 10 ** i)).sort((a, b) => a - b);

const short = (n) => {
  for (const [size, mark] of [[1e9, "b"], [1e6, "m"], [1e3, "k"]]) if (n >= size) return `${+(n / size).toFixed(1)}${mark}`;
  return String(+n.toFixed(1));
};
const span = (s) => s >= 3600 ? `${+(s / 3600).toFixed(1)} h` : s >= 60 ? `${+(s / 60).toFixed(1)} m` : `${s} s`;
const WRITE = { count: short, percent: (n) => `${short(n)} %`, uptime: (n) => `${short(n)} %`, seconds: span, ms: (n) => n >= 1000 ? `${+(n / 1000).toFixed(1)} s` : `${n} ms` };

// A colour of the style sheet, resolved for the canvas.
const colour = (place, name) => {
  const probe = place.appendChild(document.createElement("i"));
  probe.className = name;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
};

const until = (values, end) => values.map((value, index) => (index <= end ? value : null));
const only = (values, from, to) => values.map((value, index) => (index >= from && index <= to ? value : null));

// Solid up to the last finished bucket, dotted from there to the one that is still filling.
const columns = (data) => {
  const places = data.values.map((_, index) => index);
  const filling = data.unfinished;
  const solid = filling === null ? data.values : until(data.values, filling - 1);
  const dotted = filling === null ? data.values.map(() => null) : only(data.values, filling - 1, filling);
  return [places, data.before ?? data.values.map(() => null), solid, dotted];
};

// Where labels stand: on hours, days, whole weeks or first days of months, as many as there is room for.
const ticks = ({ ticks: names, hourly, months }, width) => {
  const room = Math.max(2, Math.floor(width / 76));
  const every = (places, steps) => {
    const step = steps.find((one) => Math.ceil(places.length / one) <= room) ?? steps.at(-1);
    return places.filter((_, index) => index % step === 0);
  };
  const all = [...names.keys()];
  if (hourly) return every(all, [1, 2, 3, 4, 6, 8, 12]);
  if (names.length > 120) return every(months, [1, 2, 3, 6, 12]);
  return every(all, names.length > 14 ? [7, 14, 28, 56] : [1, 2, 4, 7]);
};

const options = (place, data, onMove) => {
  const tint = (name) => colour(place, name);
  const line = tint("chart-line");
  const grid = { stroke: tint("chart-grid"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const text = tint("chart-text");
  const lonely = data.values.some((value, at) => value !== null && data.values[at - 1] == null && data.values[at + 1] == null);
  return {
    width: place.clientWidth - 20,
    height: place.clientHeight - 8,
    legend: { show: false },
    padding: [10, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 8, width: 2, stroke: line, fill: tint("chart-surface") } },
    scales: { x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) }, y: { range: (_, low, high) => [0, steps(data.unit, high).at(-1)] } },
    axes: [
      { stroke: text, font, grid: { show: false }, ticks: { show: false }, gap: 8, size: 28, splits: (chart) => ticks(data, chart.bbox.width / devicePixelRatio), values: (_, splits) => splits.map((at) => data.ticks[at]) },
      { stroke: text, font, grid, ticks: { show: false }, gap: 8, size: 52, splits: (_, axis, low, high) => steps(data.unit, high), values: (_, splits) => splits.map(WRITE[data.unit]) },
    ],
    series: [
      {},
      { stroke: tint("chart-before"), width: 1.5, dash: [4, 4], points: { show: false } },
      { stroke: line, width: 2, fill: tint("chart-area"), points: { show: lonely, size: 7, fill: line } },
      { stroke: line, width: 2, dash: [2, 4], points: { show: lonely, size: 7, fill: line } },
    ],
    hooks: { setCursor: [onMove], drawClear: [(chart) => shade(chart, data.shades ?? [], tint("chart-shade"))] },
  };
};

// Outages, behind everything else; a short one is still two pixels wide.
const shade = ({ ctx, bbox, valToPos }, shades, fill) => {
  ctx.save();
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [left, right] of shades) {
    const from = valToPos(left, "x", true);
    ctx.fillRect(from, bbox.top, Math.max(2 * devicePixelRatio, valToPos(right, "x", true) - from), bbox.height);
  }
  ctx.restore();
};

// From zero to the first label above the highest value, in about four steps; whole numbers for counts.
const steps = (unit, high) => {
  const most = Math.max(high ?? 0, unit === "count" ? 4 : 10);
  const step = (unit === "seconds" ? SECONDS : COUNTS).find((one) => one * 4 >= most) ?? most / 4;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
};

const words = (data, at) => [
  `${data.labels[at]}${at === data.unfinished ? ` (${data.note})` : ""}`,
  [data.texts[at] || "–", data.notes?.[at]].filter(Boolean).join(" · "),
  !data.beforeTexts?.[at] ? "" : `${data.beforeLabels[at]}: ${data.beforeTexts[at]}`,
];

const tip = (place) => {
  const box = document.createElement("div");
  box.className = "chart-tip";
  box.hidden = true;
  box.setAttribute("aria-hidden", "true");
  box.append(document.createElement("span"), document.createElement("strong"), document.createElement("span"));
  box.lastChild.className = "tip-before";
  place.append(box);
  return box;
};

const draw = (place) => {
  const data = JSON.parse(place.dataset.chart);
  const box = tip(place);
  const show = (at, left) => {
    box.hidden = at == null;
    if (at == null) return;
    const [label, value, before] = words(data, at);
    box.children[0].textContent = label;
    box.children[1].textContent = value;
    box.children[2].textContent = before;
    box.children[2].hidden = !before;
    const beside = left + 76;
    box.style.transform = `translateX(${beside + box.offsetWidth > place.clientWidth ? left + 44 - box.offsetWidth : beside}px)`;
    place.setAttribute("aria-valuenow", at);
    place.setAttribute("aria-valuetext", words(data, at).filter(Boolean).join(", "));
  };
  const chart = new uPlot(options(place, data, (u) => show(u.cursor.left >= 0 ? u.cursor.idx : null, u.cursor.left)), columns(data), place);
  place.chart = chart;
  const last = data.labels.length - 1;
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": place.dataset.label, "aria-description": place.dataset.help, "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": last, "aria-valuetext": words(data, last).filter(Boolean).join(", ") })) {
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

const drawAll = (again = false) => {
  for (const place of document.querySelectorAll("[data-chart]")) {
    if (place.chart && !again) continue;
    place.chart?.destroy();
    place.replaceChildren();
    draw(place);
  }
};

drawAll();
document.addEventListener("htmx:afterSettle", () => drawAll());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll(true));
new MutationObserver(() => drawAll(true)).observe(document.documentElement, { attributeFilter: ["data-theme"] });

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  for (const place of document.querySelectorAll("[data-chart]")) place.chart?.setSize({ width: place.clientWidth - 20, height: place.clientHeight - 8 });
});
