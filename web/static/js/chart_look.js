// How a time series looks: its columns, axes and series as uPlot takes them. chart.js draws it.
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
const COUNTS = [1, 2, 5].flatMap((n) => Array.from({ length: 12 }, (_, i) => n * 10 ** i)).sort((a, b) => a - b);

const short = (n) => {
  for (const [size, mark] of [[1e9, "b"], [1e6, "m"], [1e3, "k"]]) if (n >= size) return `${+(n / size).toFixed(1)}${mark}`;
  return String(+n.toFixed(1));
};
const span = (s) => s >= 3600 ? `${+(s / 3600).toFixed(1)} h` : s >= 60 ? `${+(s / 60).toFixed(1)} m` : `${s} s`;
const WRITE = { count: short, percent: (n) => `${short(n)} %`, uptime: (n) => `${short(n)} %`, seconds: span, ms: (n) => n >= 1000 ? `${+(n / 1000).toFixed(1)} s` : `${n} ms` };

// Colours of the style sheet, resolved for the canvas, all at once: the page is styled anew for the first that is asked for.
const TINTS = ["line", "text", "surface", "grid", "second", "second-text", "before", "area", "shade"];
const colours = (place) => {
  const probes = TINTS.map((name) => Object.assign(document.createElement("i"), { className: `chart-${name}` }));
  place.append(...probes);
  const found = probes.map((probe) => getComputedStyle(probe).color);
  for (const probe of probes) probe.remove();
  return Object.fromEntries(TINTS.map((name, index) => [name, found[index]]));
};

// Solid between whole buckets, dotted to and from those that are still filling or lie partly outside of the range.
// The second measure comes first, as bars behind the lines.
const columns = (data) => {
  const places = data.values.map((_, index) => index);
  const partial = new Set(data.partial);
  const none = data.values.map(() => null);
  const solid = data.values.map((value, index) => (partial.has(index) ? null : value));
  const dotted = data.values.map((value, index) => ([index - 1, index, index + 1].some((at) => partial.has(at)) ? value : null));
  return [places, data.second ?? none, data.before ?? none, solid, dotted];
};

// Where labels stand: on hours, days, whole weeks or first days of months, as many as there is room for.
const ticks = ({ ticks: names, step, months }, width) => {
  const room = Math.max(2, Math.floor(width / 76));
  const every = (places, counts) => {
    const count = counts.find((one) => Math.ceil(places.length / one) <= room) ?? counts.at(-1);
    return places.filter((_, index) => index % count === 0);
  };
  const all = [...names.keys()];
  if (step === "hour") return every(all, names.length > 48 ? [24, 48, 72, 168] : [1, 2, 3, 4, 6, 8, 12]);
  if (step === "month") return every(all, [1, 2, 3, 6, 12, 24]);
  if (step === "week") return every(all, [1, 2, 4, 8, 13, 26, 52, 104]);
  if (names.length > 120) return every(months, [1, 2, 3, 6, 12]);
  return every(all, names.length > 14 ? [7, 14, 28, 56] : [1, 2, 4, 7]);
};

// From zero to the first label above the highest value, in about four steps; whole numbers for counts.
const steps = (unit, high) => {
  const most = Math.max(high ?? 0, unit === "count" ? 4 : 10);
  const step = (unit === "seconds" ? SECONDS : COUNTS).find((one) => one * 4 >= most) ?? most / 4;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
};

// Values without one on either side are no line: each of these is a dot.
const alone = (values) => [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);

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

const options = (place, data, onMove) => {
  const tints = colours(place);
  const { line, text } = tints;
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const dots = (values) => ({ show: true, size: 7, fill: line, filter: () => alone(values) });
  const from = (unit) => (_, low, high) => [0, steps(unit, high).at(-1)];
  const [ahead, behind] = data.affixes ?? ["", ""];
  const axis = (unit, scale, more) => ({ scale, stroke: text, font, ticks: { show: false }, gap: 8, size: behind ? 76 : 52, splits: (_, at, low, high) => steps(unit, high), values: (_, splits) => splits.map((at) => `${ahead}${WRITE[unit](at)}${behind}`), ...more });
  const bars = uPlot.paths.bars({ size: [0.4, 20] });
  const half = data.second ? 0.5 : 0; // half a bar beyond the first and the last point
  return {
    width: place.clientWidth - 20,
    height: place.clientHeight - 8,
    legend: { show: false },
    padding: [10, data.second ? 0 : 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 8, width: 2, stroke: line, fill: tints.surface } },
    scales: {
      x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low - half, high + half]) },
      y: { range: from(data.unit) },
      ...(data.second && { second: { range: from(data.secondUnit) } }),
    },
    axes: [
      { stroke: text, font, grid: { show: false }, ticks: { show: false }, gap: 8, size: 28, splits: (chart) => ticks(data, chart.bbox.width / devicePixelRatio), values: (_, splits) => splits.map((at) => data.ticks[at]) },
      axis(data.unit, "y", { grid: { stroke: tints.grid, width: 1 } }),
      ...(data.second ? [axis(data.secondUnit, "second", { side: 1, grid: { show: false }, stroke: tints["second-text"] })] : []),
    ],
    series: [
      {},
      { scale: data.second ? "second" : "y", fill: tints.second, paths: bars, points: { show: false } },
      { stroke: tints.before, width: 1.5, dash: [4, 4], points: { show: false } },
      { stroke: line, width: 2, fill: data.second ? undefined : tints.area, points: dots(data.values) },
      { stroke: line, width: 2, dash: [2, 4], points: dots(data.values) },
    ],
    hooks: { setCursor: [onMove], drawClear: [(chart) => shade(chart, data.shades ?? [], tints.shade)] },
  };
};

globalThis.chartLook = { columns, options };
