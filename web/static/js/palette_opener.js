// Ctrl-K and / open the palette at once, so that it takes what is typed; what fits comes with palette.js. Shared
// dashboards have no palette.
const dialog = document.getElementById("palette");
const field = document.getElementById("palette-q");
const list = document.getElementById("palette-list");
let opener = null;

const finding = () => import("./palette.js");
const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]") !== null;

const open = async () => {
  if (dialog.open) return;
  opener = document.activeElement;
  for (const other of document.querySelectorAll("dialog[open]")) other.close();
  field.value = "";
  list.replaceChildren();
  dialog.showModal();
  field.focus();
  try {
    (await finding()).ask();
  } catch {
    list.textContent = dialog.dataset.lost;
  }
};

if (dialog) document.addEventListener("keydown", (event) => {
  if (event.key === "Control" || event.key === "Meta") finding().catch(() => {}); // it is there when K is pressed
  const wanted = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target) && !document.querySelector("dialog[open]");
  if (!wanted && !slash) return;
  event.preventDefault();
  if (wanted && dialog.open) dialog.close();
  else open();
});

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || !event.target.closest?.("[data-palette]")) return;
  event.preventDefault();
  open();
});

dialog?.addEventListener("close", () => opener?.focus?.());
