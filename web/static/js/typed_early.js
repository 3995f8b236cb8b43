// What was entered before htmx was there gets the same answer as what is entered afterwards: a preview, for example.
const isChanged = (field) => {
  if (field.matches("select")) return [...field.options].some((one) => one.defaultSelected && !one.selected);
  return (field.defaultValue ?? field.value) !== field.value || (field.defaultChecked ?? field.checked) !== field.checked;
};

document.addEventListener("htmx:load", () => {
  for (const part of document.querySelectorAll("[data-hx-trigger]")) {
    const [, type, changed, from] = /^(input|change)( changed)?.*? from:(closest form|#[\w-]+)/.exec(part.dataset.hxTrigger) ?? [];
    const source = from && (from.startsWith("#") ? document.querySelector(from) : part.closest("form"));
    if (!source || ![...(source.elements ?? [source])].some((field) => field.name && isChanged(field))) continue;
    if (changed) part.requestSubmit(); // htmx ignores a value that it has found there
    else source.dispatchEvent(new Event(type));
  }
}, { once: true });
