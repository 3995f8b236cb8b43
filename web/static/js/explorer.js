// The form of the API explorer: a row for a filter appears as soon as the last one is used; fields and order are
// suggested for the chosen type, values as the website has them, and time zones by the browser. Without scripts a
// button adds rows.
const form = document.querySelector(".queries-form");
const adds = form.querySelector("[data-adds]");
const rows = () => [...form.querySelectorAll(".queries-filter")];
const used = (row) => [...row.querySelectorAll("input")].some((input) => input.value.trim());

const number = (row, at) => {
  for (const name of ["id", "name", "for", "aria-label", "data-filter"]) {
    for (const one of [row, ...row.querySelectorAll(`[${name}]`)]) {
      const value = one.getAttribute(name);
      if (value) one.setAttribute(name, value.replace(/0$/, at));
    }
  }
};

const add = () => {
  const last = rows().length + 1;
  if (!adds || last > adds.dataset.most) return null;
  const row = document.getElementById(adds.dataset.adds).content.firstElementChild.cloneNode(true);
  number(row, last);
  rows().at(-1).after(row);
  adds.parentElement.hidden = last >= adds.dataset.most;
  return row;
};

adds?.addEventListener("click", (event) => {
  event.preventDefault();
  const free = rows().find((row) => !used(row)) ?? add();
  free?.querySelector("input").focus();
});

form.addEventListener("input", () => {
  if (used(rows().at(-1))) add();
});

// What a type can be filtered and sorted by.
const lists = { fields: document.getElementById("fields"), sortable: document.getElementById("sortable") };
const labels = Object.fromEntries([...lists.fields.options].map((option) => [option.value, option.label]));
let configs = null;

const fill = (list, names, named = {}) => {
  list.replaceChildren(...names.map((name) => new Option(named[name] ?? "", name)));
};

const suggest = async () => {
  const type = form.elements.type.value;
  const help = document.getElementById("type-help");
  const about = document.getElementById("filters-of");
  if (!type) return;
  configs ??= fetch("/v1/query/types?include_meta=true").then((answer) => answer.json()).catch(() => null);
  const config = (await configs)?.configs[type];
  if (!config || form.elements.type.value !== type) return;
  fill(lists.fields, config.allowedFilters, labels);
  fill(lists.sortable, config.meta.sortable);
  help.textContent = config.meta.description;
  const fields = config.allowedFilters.join(", ");
  about.textContent = fields ? about.dataset.text.replace("{type}", type).replace("{fields}", fields) : "";
};
form.elements.type.addEventListener("change", suggest);

form.elements.zone.addEventListener("focus", () => {
  fill(document.getElementById("zones"), Intl.supportedValuesOf?.("timeZone") ?? []);
}, { once: true });

// The values of a row's field, most frequent first; of a list, for what comes after its last comma.
const WAIT = 120; // ms after the last key
const values = document.getElementById("values");
let asked = new AbortController();

const suggestValues = async (row) => {
  const [field, value] = row.querySelectorAll("input");
  const listed = ["in", "not_in"].includes(row.querySelector("select").value);
  const typed = listed ? value.value.split(",").at(-1) : value.value;
  const before = value.value.slice(0, value.value.length - typed.length);
  asked.abort();
  asked = new AbortController();
  if (!field.value.trim()) return values.replaceChildren();
  const query = new URLSearchParams({ field: field.value.trim(), q: typed.trim(), range: form.elements.range.value });
  for (const name of ["from", "to"]) if (form.elements[name].value) query.set(name, form.elements[name].value);
  try {
    const answer = await fetch(`${form.dataset.values}?${query}`, { signal: asked.signal, headers: { accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("[data-value]");
    const whole = (one) => `${before}${before ? " " : ""}${one.dataset.value}`;
    const label = (one) => one.querySelector("bdi").textContent;
    const named = [...found].filter((one) => label(one) !== one.dataset.value).map((one) => [whole(one), label(one)]);
    fill(values, [...found].map(whole), Object.fromEntries(named));
  } catch { /* somebody typed on, or the box is away: then there are no suggestions */ }
};

for (const name of ["focusin", "input"]) {
  form.addEventListener(name, ({ target }) => {
    if (!target.name?.startsWith("value")) return;
    clearTimeout(form.later);
    form.later = setTimeout(suggestValues, WAIT, target.closest(".queries-filter"));
  });
}
