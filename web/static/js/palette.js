// What the palette finds, once it is open (palette_opener.js). The box says what fits; what was chosen last comes first
// while nothing is typed.
const MOST_RECENT = 5;
const dialog = document.getElementById("palette");
const field = document.getElementById("palette-q");
const list = document.getElementById("palette-list");
const kept = `palette ${dialog.dataset.of}`;
let asking = null;
let waiting = 0;

const options = () => [...list.querySelectorAll('[role="option"]')];
const chosen = () => list.querySelector('[aria-selected="true"]');

// What was chosen last, as texts; a browser that keeps nothing has no recent choices.
const recent = () => {
  try {
    return JSON.parse(localStorage.getItem(kept) ?? "[]");
  } catch {
    return [];
  }
};

const text = (option, name) => option.querySelector(`.palette-${name}`)?.textContent ?? "";
const remember = (option) => {
  const one = { href: option.dataset.href, label: text(option, "label"), detail: text(option, "detail"), icon: option.querySelector("use")?.getAttribute("href") ?? "" };
  try {
    localStorage.setItem(kept, JSON.stringify([one, ...recent().filter(({ href }) => href !== one.href)].slice(0, MOST_RECENT)));
  } catch { /* as above */ }
};

const choose = (option) => {
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
};

const say = (text) => {
  const words = document.createElement("p");
  words.className = "palette-none";
  words.textContent = text;
  list.replaceChildren(words);
  choose(null);
};

// The first group, made after the box's own template of a hit; each hit stands only once in the list.
const putRecent = () => {
  const shown = recent().filter(({ href }) => href !== location.pathname);
  const model = list.querySelector(".palette-kind");
  if (!shown.length || !model) return;
  const group = model.cloneNode(true);
  group.setAttribute("aria-labelledby", "palette-recent");
  const title = group.querySelector(".palette-title");
  Object.assign(title, { id: "palette-recent", textContent: dialog.dataset.recent });
  const hit = group.querySelector('[role="option"]');
  group.replaceChildren(title, ...shown.map(({ href, label, detail, icon }) => {
    const option = hit.cloneNode(true);
    option.dataset.href = href;
    option.querySelector("use").setAttribute("href", icon);
    option.querySelector(".palette-label").textContent = label;
    option.querySelector(".palette-detail").textContent = detail;
    options().find((one) => one.dataset.href === href)?.remove();
    return option;
  }));
  list.prepend(group);
  for (const one of list.querySelectorAll(".palette-kind")) if (!one.querySelector('[role="option"]')) one.remove();
};

const show = (html) => {
  list.innerHTML = html;
  if (!field.value.trim()) putRecent();
  for (const [at, option] of options().entries()) option.id = `palette-option-${at}`;
  list.scrollTop = 0;
  choose(options()[0] ?? null);
  const count = options().length;
  document.getElementById("palette-count").textContent = count === 1 ? dialog.dataset.one : dialog.dataset.count.replace("{count}", count);
};

export const ask = async () => {
  asking?.abort();
  const own = (asking = new AbortController());
  try {
    const query = new URLSearchParams({ q: field.value, here: location.pathname });
    const answer = await fetch(`/palette/options?${query}`, { signal: own.signal, headers: { accept: "text/html" }, redirect: "manual" });
    if (answer.ok) show(await answer.text());
    else say(answer.type === "opaqueredirect" || answer.status === 401 ? dialog.dataset.signedOut : dialog.dataset.lost);
  } catch {
    if (!own.signal.aborted) say(dialog.dataset.lost);
  }
};

// Whoever can do at once what is chosen takes the event; else its page is opened.
const go = (option, elsewhere) => {
  if (!option) return;
  remember(option);
  if (elsewhere) window.open(option.dataset.href, "_blank", "noopener");
  else if (option.dispatchEvent(new Event("palette", { bubbles: true, cancelable: true }))) location.assign(option.dataset.href);
  dialog.close();
};

const move = (step) => {
  const all = options();
  if (!all.length) return;
  const at = all.indexOf(chosen()) + step;
  choose(all[(at + all.length) % all.length]);
};

field.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 80);
});
field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) move(step);
  else if (event.key === "Enter") go(chosen(), event.ctrlKey || event.metaKey);
  else return;
  event.preventDefault();
});
list.addEventListener("click", (event) => go(event.target.closest('[role="option"]'), event.ctrlKey || event.metaKey));
