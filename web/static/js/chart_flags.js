// Puts the flags of notes where chart.js has drawn their days. Their lines reach down through the chart.
const place = () => {
  for (const flags of document.querySelectorAll(".chart-flags")) {
    const drawn = flags.parentElement.querySelector("[data-chart]");
    const chart = drawn?.chart;
    if (!chart) continue;
    const ratio = devicePixelRatio || 1;
    const { left, top, width, height } = Object.fromEntries(Object.entries(chart.bbox).map(([name, value]) => [name, value / ratio]));
    const edge = chart.root.offsetLeft + left;
    const at = (value) => edge + Math.min(width, Math.max(0, chart.valToPos(value, "x")));
    flags.style.setProperty("--chart-top", `${chart.root.offsetTop + top}px`);
    flags.style.setProperty("--chart-height", `${height}px`);
    for (const flag of flags.children) {
      const from = at(+flag.dataset.at);
      flag.style.left = `${from}px`;
      flag.style.setProperty("--flag-width", `${at(+flag.dataset.until) - from}px`);
      flag.classList.toggle("chart-flag-end", from > edge + width / 2);
    }
    flags.classList.add("placed");
  }
};

// uPlot knows places only once what runs now is over.
const placeSoon = () => queueMicrotask(place);

placeSoon();
for (const name of ["settled", "charted"]) document.addEventListener(name, placeSoon);
addEventListener("resize", place);
