// The calendar of a form with two dates: the first choice is the first day, the second the last one. Arrow keys move by
// days and weeks, Home and End within the week, Page Up and Page Down by months (with Shift by years). Typing stays possible.
const DAY = 86_400_000;
const EARLIEST = Date.UTC(1980, 0, 1);
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
const WHOLE = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

// Weeks begin as the profile says. How far a day is into its week:
const MONDAY = document.documentElement.dataset.weekStart === "monday";
const into = (day) => (new Date(day).getUTCDay() + (MONDAY ? 6 : 0)) % 7;

const read = (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN);
const iso = (day) => new Date(day).toISOString().slice(0, 10);

// The day in another month, or the last one of that month where it has fewer.
const inMonths = (day, count) => {
  const at = new Date(day);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count + 1, 0));
  return Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(at.getUTCDate(), last.getUTCDate()));
};

const moves = {
  ArrowLeft: (day) => day - DAY,
  ArrowRight: (day) => day + DAY,
  ArrowUp: (day) => day - 7 * DAY,
  ArrowDown: (day) => day + 7 * DAY,
  Home: (day) => day - into(day) * DAY,
  End: (day) => day + (6 - into(day)) * DAY,
  PageUp: (day, years) => inMonths(day, years ? -12 : -1),
  PageDown: (day, years) => inMonths(day, years ? 12 : 1),
};

// Weeks of the month of a day.
const weeks = (day) => {
  const at = new Date(day);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const days = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  const start = first - into(first) * DAY;
  const count = Math.ceil((first - start) / DAY / 7 + days / 7);
  return Array.from({ length: count }, (_, week) => Array.from({ length: 7 }, (_, at) => start + (7 * week + at) * DAY));
};

const cell = (day, state) => {
  const found = document.createElement("td");
  found.setAttribute("role", "gridcell");
  if (iso(day).slice(0, 7) !== iso(state.day).slice(0, 7)) return found;
  const chosen = day >= state.first && day <= state.last;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: new Date(day).getUTCDate(), tabIndex: day === state.day ? 0 : -1, disabled: day > state.today });
  button.dataset.day = iso(day);
  button.setAttribute("aria-label", WHOLE.format(day));
  if (day === state.today) button.setAttribute("aria-current", "date");
  found.setAttribute("aria-selected", chosen);
  if (day === state.first || day === state.last) found.className = "day-picker-end";
  found.append(button);
  return found;
};

const start = (place) => {
  const [from, to] = place.closest("form").querySelectorAll("input[type=date]");
  const today = read(place.dataset.today);
  const state = { first: read(from.value), last: read(to.value), today, choosing: "first" };
  state.day = Math.min(state.last || today, today);
  const draw = (focus) => {
    place.querySelector("strong").textContent = MONTH.format(state.day);
    const rows = weeks(state.day).map((days) => {
      const row = document.createElement("tr");
      row.append(...days.map((day) => cell(day, state)));
      return row;
    });
    place.querySelector("tbody").replaceChildren(...rows);
    if (focus) place.querySelector(`[data-day="${iso(state.day)}"]`).focus();
  };
  const say = (text) => { place.querySelector(".day-picker-said").textContent = text; };
  const go = (day, focus = true) => {
    state.day = Math.min(Math.max(day, EARLIEST), today);
    draw(focus);
  };
  const choose = (day) => {
    if (state.choosing === "first") Object.assign(state, { first: day, last: day, choosing: "last" });
    else {
      const [first, last] = [state.first, day].sort((a, b) => a - b);
      Object.assign(state, { first, last, choosing: "first" });
    }
    [from.value, to.value] = [iso(state.first), iso(state.last)];
    say(state.choosing === "last" ? place.dataset.last.replace("{day}", WHOLE.format(day)) : place.dataset.chosen.replace("{first}", WHOLE.format(state.first)).replace("{last}", WHOLE.format(state.last)));
    go(day);
    if (state.choosing === "first") place.closest("form").querySelector("[type=submit]").focus();
  };
  place.addEventListener("keydown", (event) => {
    const move = event.target.dataset.day && moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(move(state.day, event.shiftKey));
  });
  place.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.day) choose(read(button.dataset.day));
    else if (button) go(inMonths(state.day, +button.dataset.turn), false);
  });
  for (const field of [from, to]) {
    field.addEventListener("change", () => {
      if (!read(from.value) || !read(to.value)) return;
      Object.assign(state, { first: Math.min(read(from.value), read(to.value)), last: Math.max(read(from.value), read(to.value)), choosing: "first" });
      go(read(field.value), false);
      say(place.dataset.first);
    });
  }
  const heads = place.querySelector("thead tr");
  if (MONDAY) heads.append(heads.firstElementChild);
  draw(false);
  place.hidden = false;
};

// Menus that were never opened need no calendar.
const startIn = (menu) => { for (const place of menu.querySelectorAll("[data-calendar][hidden]")) start(place); };
for (const menu of document.querySelectorAll("details[open]")) startIn(menu);
document.addEventListener("toggle", ({ target }) => { if (target.open && target.matches?.("details")) startIn(target); }, true);
