// The field for a filter's value suggests the values of the chosen field (ARIA combobox with a listbox). What is chosen
// becomes a token beside the field, so that a filter may have several; Enter in the empty field sends the form.
// Without this script the field takes one value, and sending it again for the same field adds another.
const WAIT = 120; // ms after the last key
const AGAIN = 2_000; // ms after an answer that did not come
const valueless = new Set(["set", "unset"]);
const parts = (form) => ({
  input: form.querySelector("#filter-value"),
  list: form.querySelector("#filter-suggestions"),
  tokens: form.querySelector("#filter-tokens"),
  said: form.querySelector("#filter-said"),
});
const formOf = (element) => element?.closest?.(".filter-add");
const options = (list) => [...list.querySelectorAll("[role=option]")];

// What was typed before asks for nothing any more.
const settle = (form) => {
  clearTimeout(form.later);
  form.asked?.abort();
};

const close = (form) => {
  const { input, list } = parts(form);
  settle(form);
  list.hidden = true;
  list.replaceChildren();
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
};

const mark = (form, option) => {
  const { input, list } = parts(form);
  for (const one of options(list)) one.setAttribute("aria-selected", String(one === option));
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
};

// It is said, and tried again as long as somebody is at the field.
const fail = (form) => {
  const { input, said } = parts(form);
  close(form);
  said.textContent = said.dataset.failed;
  said.classList.add("failed");
  form.later = setTimeout(() => { if (document.activeElement === input) suggest(form); }, AGAIN);
};

const suggest = async (form) => {
  const { input, list, said } = parts(form);
  form.asked?.abort();
  const asked = form.asked = new AbortController();
  const address = new URL(input.dataset.values, location);
  address.searchParams.set("field", form.elements.field.value);
  address.searchParams.set("q", input.value);
  try {
    const answer = await fetch(address, { signal: asked.signal, headers: { accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw answer;
    const found = await answer.text();
    if (asked.signal.aborted || document.activeElement !== input) return;
    list.innerHTML = found;
  } catch {
    if (!asked.signal.aborted) fail(form);
    return;
  }
  said.classList.remove("failed");
  const count = options(list).length;
  list.hidden = !count;
  input.setAttribute("aria-expanded", String(count > 0));
  input.removeAttribute("aria-activedescendant");
  said.textContent = count ? said.dataset.some.replace("{count}", count) : said.dataset.none;
};

const later = (form) => {
  clearTimeout(form.later);
  form.later = setTimeout(suggest, WAIT, form);
};

const take = (form, value, label) => {
  const { input, tokens, said } = parts(form);
  if (value && ![...tokens.querySelectorAll("input")].some((one) => one.value === value)) {
    const token = document.createElement("li");
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: "value", value });
    const button = Object.assign(document.createElement("button"), { type: "button", className: "chip", textContent: label });
    button.setAttribute("aria-label", tokens.dataset.remove.replace("{value}", label));
    token.append(field, button);
    tokens.append(token);
    said.textContent = tokens.dataset.added.replace("{value}", label);
  }
  input.value = "";
  close(form);
};

const choose = (form, option) => take(form, option.dataset.value, option.querySelector("bdi").textContent);

// Fields whose comparison needs no value have none; other fields suggest other values.
const adapt = (form) => {
  const { input, tokens } = parts(form);
  const none = valueless.has(form.elements.op.value);
  input.closest(".filter-value").hidden = none;
  input.required = !none && !tokens.children.length;
};

const focused = (target) => {
  const form = formOf(target);
  if (form) adapt(form);
  if (target.id !== "filter-value") return;
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "filter-suggestions",
  })) target.setAttribute(name, value);
  suggest(form);
};
document.addEventListener("focusin", ({ target }) => focused(target));
if (document.activeElement) focused(document.activeElement);

document.addEventListener("focusout", ({ target }) => {
  if (target.id === "filter-value") close(formOf(target));
});

document.addEventListener("input", ({ target }) => {
  if (target.id === "filter-value") later(formOf(target));
});

document.addEventListener("change", ({ target }) => {
  const form = formOf(target);
  if (!form) return;
  if (target.id === "filter-field") parts(form).tokens.replaceChildren();
  adapt(form);
});

const moves = { ArrowDown: 1, ArrowUp: -1 };
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (target.id !== "filter-value" || event.isComposing) return;
  const form = formOf(target), { list, tokens } = parts(form);
  const shown = list.hidden ? [] : options(list);
  const at = shown.findIndex((one) => one.getAttribute("aria-selected") === "true");
  if (moves[key]) {
    event.preventDefault();
    if (!shown.length) return suggest(form);
    settle(form); // what one chooses from stays
    mark(form, shown[(at + moves[key] + shown.length + (at < 0 && moves[key] < 0 ? 1 : 0)) % shown.length]);
  } else if (key === "Enter" && at >= 0) {
    event.preventDefault();
    choose(form, shown[at]);
    adapt(form);
  } else if (key === "Escape" && shown.length) {
    event.stopPropagation();
    event.preventDefault();
    close(form);
  } else if (key === "Backspace" && !target.value) {
    tokens.lastElementChild?.remove();
    adapt(form);
  }
}, true);

// Before focus leaves the field, which would close the list.
document.addEventListener("mousedown", (event) => {
  const option = event.target.closest?.("#filter-suggestions [role=option]");
  if (!option) return;
  event.preventDefault();
  const form = formOf(option); // choosing takes the option away
  choose(form, option);
  adapt(form);
});

document.addEventListener("click", ({ target }) => {
  const token = target.closest?.("#filter-tokens button");
  if (!token) return;
  const form = formOf(token);
  token.parentElement.remove();
  parts(form).input.focus();
  adapt(form);
});
