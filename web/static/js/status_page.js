// A status page's forms: the address follows the name of a new page, and the preview follows what is typed.
import { slug } from "./slug.js";

for (const name of document.querySelectorAll("[data-names]")) {
  const field = document.getElementById(name.dataset.names);
  const made = () => slug(name.value, name.dataset.spelling, field.maxLength);
  let own = field.value !== "" && field.value !== made();
  field.addEventListener("input", () => { own = field.value !== ""; });
  name.addEventListener("input", () => { if (!own) field.value = made(); });
}

for (const form of document.querySelectorAll("[data-previews]")) {
  const button = form.querySelector("[formtarget]");
  let shown = document.getElementById(form.dataset.previews);
  let waiting = 0;
  button.hidden = true;
  const show = () => {
    // A new frame each time: another page in the old one would be one more step back in the browser's history.
    const next = document.createElement("iframe");
    next.title = shown.title;
    next.name = `preview-${Date.now()}`;
    next.className = "status-preview-next";
    shown.after(next);
    button.setAttribute("formtarget", next.name);
    next.addEventListener("load", () => {
      if (!next.isConnected || next.contentWindow.location.href === "about:blank") return;
      next.className = "";
      next.contentWindow.scrollTo(0, shown.contentWindow?.scrollY ?? 0);
      for (const other of next.parentElement.querySelectorAll("iframe")) if (other !== next) other.remove();
      shown = next;
    });
    form.requestSubmit(button);
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 400); });
}
