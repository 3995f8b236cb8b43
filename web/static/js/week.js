// The hours of a week: the one that is pointed at, touched or reached with the arrow keys is said below.
const placed = (table) => [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));

const say = (table, cell) => {
  const said = table.parentElement.querySelector("[data-week-said]");
  said.dataset.usual ??= said.textContent;
  table.querySelector(".week-here")?.classList.remove("week-here");
  cell?.classList.add("week-here");
  said.textContent = cell ? cell.dataset.text : said.dataset.usual;
};

const prepare = () => {
  for (const table of document.querySelectorAll("[data-week]:not([tabindex])")) {
    table.tabIndex = 0;
    for (const cell of placed(table).flat()) {
      cell.dataset.text = cell.title;
      cell.removeAttribute("title");
    }
  }
};

const on = (name, act) => document.addEventListener(name, (event) => {
  const table = event.target.closest?.("[data-week]");
  if (table) act(table, event);
});

on("pointerover", (table, { target }) => say(table, target.closest("td")));
on("pointerout", (table, { relatedTarget }) => { if (!table.contains(relatedTarget)) say(table, null); });
on("focusout", (table) => say(table, null));
on("keydown", (table, event) => {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -23], End: [0, 23] }[event.key];
  if (!step) return;
  const rows = placed(table);
  const here = table.querySelector(".week-here");
  const day = Math.max(0, rows.findIndex((row) => row.includes(here)));
  const hour = Math.max(0, rows[day].indexOf(here));
  const move = (at, by, last) => Math.min(last, Math.max(0, at + by));
  say(table, here ? rows[move(day, step[0], 6)][move(hour, step[1], 23)] : rows[0][0]);
  event.preventDefault();
});

prepare();
document.addEventListener("settled", prepare);
