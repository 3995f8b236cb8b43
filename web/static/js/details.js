// The table of a list opens over the page of figures. Its address becomes that of the page, so that reloading and sharing
// lead to the table as a page of its own; going back closes it. Without this script the links lead to that page.
let opener = null;
let leaving = false; // the page goes back because the dialog was closed
let newest; // the address that was asked for last

const dialog = () => document.getElementById("details-dialog");
const isTable = (link) => link && !link.hasAttribute("download") && link.pathname.includes("/details/");
const plain = (event) => !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

const show = async (address) => {
  const body = dialog().querySelector(".dialog-body");
  const focused = body.contains(document.activeElement) ? document.activeElement.id : "";
  newest = address;
  body.setAttribute("aria-busy", "true");
  let answer;
  try {
    answer = await fetch(address, { headers: { accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw new Error(answer.status);
  } catch {
    if (newest === address) location.assign(address); // that page says what is wrong, or asks to sign in
    return;
  }
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("details");
  if (newest !== address || !dialog().open) return;
  if (!found) { location.assign(address); return; }
  history.replaceState({ details: true }, "", address);
  const typed = body.querySelector("#details-q");
  const [value, at] = [typed?.value, typed?.selectionStart];
  body.replaceChildren(document.adoptNode(found));
  body.removeAttribute("aria-busy");
  dialog().querySelector("h2").textContent = found.querySelector("h2").textContent;
  const next = (focused && document.getElementById(focused)) || body.querySelector("#details-title");
  next.focus({ preventScroll: true });
  if (next.id === "details-q" && value !== undefined) { // what was typed meanwhile stays
    next.value = value;
    next.setSelectionRange(at, at);
  }
};

const open = (link) => {
  opener = link.id;
  const made = dialog();
  made.querySelector("h2").textContent = link.dataset.details;
  made.querySelector(".dialog-body").replaceChildren();
  history.pushState({ details: true }, "", link.href);
  made.showModal();
  show(link.href);
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || !plain(event) || !dialog()) return;
  const inside = dialog().contains(link);
  if (inside ? !isTable(link) : !link.dataset.details) return;
  event.preventDefault();
  event.stopPropagation();
  if (inside) show(link.href);
  else open(link);
}, true);

const asked = (form) => {
  const fields = [...new FormData(form)].filter(([, value]) => value);
  return `${form.action.split("?")[0]}?${new URLSearchParams(fields)}`;
};

document.addEventListener("submit", (event) => {
  if (!event.target.closest("#details-dialog .details-search")) return;
  event.preventDefault();
  show(asked(event.target));
});

let typing;
document.addEventListener("input", ({ target }) => {
  if (!target.closest("#details-dialog .details-search")) return;
  clearTimeout(typing);
  typing = setTimeout(() => { if (target.isConnected) show(asked(target.form)); }, 250);
});

document.addEventListener("close", ({ target }) => {
  if (target.id !== "details-dialog") return;
  newest = undefined;
  clearTimeout(typing);
  if (history.state?.details) {
    leaving = true;
    history.back();
  }
  document.getElementById(opener)?.focus({ preventScroll: true });
}, true);

// Before swaps.js hears of it, which would load the page anew.
window.addEventListener("popstate", (event) => {
  if (leaving) event.stopImmediatePropagation();
  else if (dialog()?.open) {
    event.stopImmediatePropagation();
    dialog().close();
  } else if (event.state?.details) location.reload(); // forward to a table again: as a page
  leaving = false;
}, true);
